// SPDX-License-Identifier: Apache-2.0

/// An item as the store sees it: opaque bytes, blind-index values, and the few things that are in the clear.
package struct StoredRow: Sendable, Hashable {
    /// The class, which is the table.
    package var itemClass: ItemClass
    /// The identifier, constant for the life of the row.
    package var identifier: ItemIdentifier
    /// The protection class, in the clear.
    package var protection: String
    /// Whether the row only remembers that a synchronizable item was deleted; in the clear.
    package var isTombstone: Bool
    /// Which generation of class keys sealed the row.
    package var keyGeneration: UInt32
    /// Random, new for every write.
    package var version: Bytes16
    /// The tag of the whole primary key, unique in the table.
    package var primaryKeyTag: SearchTag
    /// The tags of the existing attributes, ordered by name.
    package var tags: [AttributeTag]
    /// For a row that was sealed in the previous format, the sealed search tag of its digest; `nil` for a row of this
    /// format.
    ///
    /// Empty if it has no such tag, or if the tag is among ``tags``.
    package var former: [UInt8]?
    /// The sealed attributes.
    package var metadata: [UInt8]
    /// The sealed secret.
    package var secret: [UInt8]
    /// What the store lists of the lookup attributes, for a row that is written; a row that was read has none here.
    package var lookup: ListedLookup?
    /// The access group, of a row that is written, for observers; a row that was read has only its tag.
    package var accessGroup: String?

    /// A row.
    package init(
        itemClass: ItemClass,
        identifier: ItemIdentifier,
        protection: String,
        isTombstone: Bool,
        keyGeneration: UInt32,
        version: Bytes16,
        primaryKeyTag: SearchTag,
        tags: [AttributeTag],
        former: [UInt8]? = nil,
        metadata: [UInt8] = [],
        secret: [UInt8] = []
    ) {
        self.itemClass = itemClass
        self.identifier = identifier
        self.protection = protection
        self.isTombstone = isTombstone
        self.keyGeneration = keyGeneration
        self.version = version
        self.primaryKeyTag = primaryKeyTag
        self.tags = tags
        self.former = former
        self.metadata = metadata
        self.secret = secret
    }
}

extension StoredRow {
    /// The search tag of the access group.
    package var groupTag: SearchTag? { tags.first { $0.name == .accessGroup }?.tag }
}

/// What the store keeps beside a row of the lookup attributes in it, so that it is found by them, and known while it is
/// locked.
package struct ListedLookup: Sendable, Hashable {
    /// The tag of all lookup attributes together.
    package var wholeTag: SearchTag
    /// The tag of each of them.
    package var pairTags: [SearchTag]
    /// The lookup attributes, the label and the dates, sealed.
    package var face: [UInt8]

    /// What is listed.
    package init(wholeTag: SearchTag, pairTags: [SearchTag], face: [UInt8]) {
        self.wholeTag = wholeTag
        self.pairTags = pairTags
        self.face = face
    }
}

/// The search tag of one attribute.
package struct AttributeTag: Sendable, Hashable {
    /// The attribute.
    package let name: AttributeName
    /// Its tag.
    package let tag: SearchTag

    /// A tag.
    package init(name: AttributeName, tag: SearchTag) {
        self.name = name
        self.tag = tag
    }
}

/// How large an item may be.
package enum ItemLimits {
    /// The largest secret, in bytes: 16 MiB.
    ///
    /// Apple enforces no limit (Semantics, open question 9).
    package static let secretByteCount = 16 << 20
    /// The most bytes that a keychain file seals for an item, its secret and its access list: so many are padded to
    /// 17 MiB.
    package static let fileContentsByteCount = (17 << 20) - 1
    /// The largest sum of encoded attributes, in bytes: 16 MiB.
    package static let metadataByteCount = 16 << 20
    /// More than any part of a row that is written: padding adds at most a sixteenth to a secret, and sealing and an
    /// application password add little.
    package static let partByteCount = (17 << 20) + (1 << 16)
}
