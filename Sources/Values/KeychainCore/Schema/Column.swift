// SPDX-License-Identifier: Apache-2.0

/// One attribute of an item class: a row of the schema tables.
package final class Column: Sendable {
    /// The attribute.
    package let name: AttributeName

    /// The type to which values are converted.
    package let kind: AttributeKind

    /// Whether the attribute is part of the primary key.
    package let isPrimaryKey: Bool

    /// Whether values are compared by their bytes, regardless of their type (the columns marked B in Semantics,
    /// "Attributes of each class").
    package let comparesBytes: Bool

    /// The value that is stored if an add does not specify the attribute.
    package let defaultValue: AttributeValue?

    /// Who may specify the attribute.
    package let access: Access

    /// The version of the file (``FileFormat/version``) since which the store has a search tag for it, in a separate
    /// column; `nil` if it has none.
    ///
    /// The tables of a released version never change: an attribute that becomes searchable later specifies the
    /// revision, and comes with a migration to that one.
    package let taggedSince: UInt16?

    /// Since which version the store keeps no search tag for it any more; `nil` while it keeps one, or never did.
    package let untaggedSince: UInt16?

    /// Whether the store keeps a search tag for it.
    package var isSearchable: Bool { isTagged(in: FileFormat.version) }

    /// Whether the tables of a version have a column for its search tags.
    package func isTagged(in version: UInt16) -> Bool {
        guard let taggedSince, taggedSince <= version else { return false }
        return untaggedSince.map { version < $0 } ?? true
    }

    /// Who may specify a column.
    package enum Access: Sendable, Hashable {
        /// Anybody, everywhere.
        case open
        /// A value needs a private entitlement in add and in update attributes: errSecMissingEntitlement.
        case guardedValue
        /// The same, and encrypted with the secret, so that it cannot be searched for: errSecNotAvailable.
        case encrypted
        /// Needs a private entitlement in add and in the query of update: errSecMissingEntitlement.
        case guardedQuery
        /// No client, in any function: errSecParam.
        case forbidden
        /// Any program may specify it in a query; values given by a caller are ignored.
        case computed
    }

    init(
        _ name: AttributeName,
        _ kind: AttributeKind,
        primaryKey: Bool = false,
        hashed: Bool = false,
        default defaultValue: AttributeValue? = nil,
        access: Access = .open,
        taggedSince: UInt16? = 0x0200,
        untaggedSince: UInt16? = nil
    ) {
        self.name = name
        self.kind = kind
        isPrimaryKey = primaryKey
        comparesBytes = hashed
        self.defaultValue = defaultValue
        self.access = access
        self.taggedSince = taggedSince
        self.untaggedSince = untaggedSince
    }
}
