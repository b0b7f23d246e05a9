// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// A dictionary after validation: what add, copy and delete act on, and the query of update.
struct Query: Sendable {
    let itemClass: ItemClass

    /// The attributes, converted to the kinds of their columns; synchronizability is ``scope``.
    var attributes: Attributes = [:]

    var scope: SynchronizableScope?
    var match = MatchConditions()
    var returns: ReturnFlags = []
    var data: SecretBytes?
    /// Whether the data exceeds the size limit of an item, and is therefore omitted.
    var isDataTooLarge = false
    /// The size limit of the data.
    var largestSecret = ItemLimits.secretByteCount
    var reference: PersistentReference?
    var authenticationUI = AuthenticationUI.allow
    /// The context for prompts (`kSecUseAuthenticationContext`).
    var context: AuthenticationContext?
    /// The reason that prompts show (`kSecUseOperationPrompt`).
    var operationPrompt: String?
    var hasItemList = false
    /// Whether passwords are returned as references, which the macOS front end has and iOS has not.
    var hasPasswordReferences = false

    var schema: ItemSchema { ItemSchema.of(itemClass) }

    /// The access control that was given, except for plain accessibility.
    var accessControl: AccessControl? {
        guard case .accessControl(let accessControl) = attributes[.accessControl] else { return nil }
        return accessControl
    }
}

extension Query {
    /// Whether the result, or a condition on certificates, requires the secrets of items.
    var readsSecret: Bool {
        returns.contains(.data) || returns.contains(.reference) && itemClass.hasReferenceType
            || itemClass == .certificate && match.readsCertificates || keepsDataWithoutReference
    }

    /// Whether the data stays in the result because a password has no reference.
    ///
    /// The result is the dictionary of a password for which only references were requested: no reference could be
    /// created from its data (Semantics, "Result of a copy").
    var keepsDataWithoutReference: Bool {
        isForReferences && !itemClass.hasReferenceType && !hasPasswordReferences
    }

    /// Whether both kinds of reference are requested, and neither attributes nor data.
    var isForReferences: Bool { returns == [.reference, .persistentReference] }

    /// Whether attributes have the digest that the query specifies, if any: digests have no tags, so that an item has
    /// to be opened.
    func hasDigest(of attributes: Attributes) -> Bool {
        guard let digest = self.attributes[.digest] else { return true }
        guard let stored = attributes[.digest], let column = schema[.digest] else { return false }
        return column.isEqual(stored, digest)
    }

    /// Whether it names a digest.
    var namesDigest: Bool { attributes[.digest] != nil }

    /// Whether attributes narrow it down; an access control does not (Semantics, "Access control").
    var hasFilters: Bool { attributes.keys.contains { $0 != .accessControl } }
}

/// The items that a query or an attribute selects by synchronizability (Semantics, "Synchronizable items").
enum SynchronizableScope: Sendable, Hashable {
    /// Items whose attribute has this value.
    case exactly(AttributeValue)
    /// Items of either kind.
    case any

    static let local = SynchronizableScope.exactly(.number(.integer(0)))
}

extension Query {
    /// The synchronizability that is looked for: without one, local items, or any by a persistent reference.
    var effectiveScope: SynchronizableScope { scope ?? (reference == nil ? .local : .any) }
}

/// The number of items that a query requests, which also determines the type of the result (Semantics, "Match limit").
enum MatchLimit: Sendable, Hashable {
    /// A single value: the default of a copy, and what the number 1 means.
    case one
    /// A list with a maximum number of items; 0 never finds anything.
    case atMost(Int)
    /// A list of all.
    case all

    /// - Throws: `errSecParam` for anything but an integral number and the two constants.
    init(_ value: PropertyValue) throws(KeychainError) {
        switch value {
        case .string(PropertyKey.matchLimitOne): self = .one
        case .string(PropertyKey.matchLimitAll): self = .all
        case .number(let number):
            guard let count = number.exactInteger else { throw .parameter("kSecMatchLimit is not an integer") }
            self = count == 1 ? .one : count < 0 ? .all : .atMost(Int(count))
        default: throw .parameter("kSecMatchLimit is neither a number nor one of its constants")
        }
    }

    /// The most items that may be returned; `nil` for any number.
    var maximum: Int? {
        switch self {
        case .one: 1
        case .atMost(let count): count
        case .all: nil
        }
    }
}

/// Which values a caller wants back (`kSecReturn…`).
struct ReturnFlags: OptionSet, Sendable, Hashable {
    let rawValue: UInt8

    static let attributes = ReturnFlags(rawValue: 1 << 0)
    static let data = ReturnFlags(rawValue: 1 << 1)
    static let persistentReference = ReturnFlags(rawValue: 1 << 2)
    static let reference = ReturnFlags(rawValue: 1 << 3)

    /// The flag of a dictionary key; `nil` if there is none.
    init?(key: String) {
        switch key {
        case PropertyKey.returnAttributes: self = .attributes
        case PropertyKey.returnData: self = .data
        case PropertyKey.returnPersistentReference: self = .persistentReference
        case PropertyKey.returnReference: self = .reference
        default: return nil
        }
    }

    init(rawValue: UInt8) { self.rawValue = rawValue }
}

/// How to handle items that require authentication (`kSecUseAuthenticationUI`).
enum AuthenticationUI: Sendable, Hashable {
    case allow
    case fail
    case skip

    /// Reads `kSecUseAuthenticationUI`, and `kSecUseNoAuthenticationUI` if the first is not given.
    ///
    /// Any value except the constants means allow, as does any value except the Boolean true of the older key
    /// (Semantics, "Values and combinations").
    init(_ dictionary: PropertyDictionary) {
        switch dictionary[PropertyKey.useAuthenticationUI] {
        case .string(PropertyKey.useAuthenticationUIFail): self = .fail
        case .string(PropertyKey.useAuthenticationUISkip): self = .skip
        case nil: self = dictionary[PropertyKey.useNoAuthenticationUI] == .boolean(true) ? .fail : .allow
        default: self = .allow
        }
    }
}
