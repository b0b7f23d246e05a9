// SPDX-License-Identifier: Apache-2.0

import Crypto
import KeychainCore

/// The device whose keys protect a store: seals rows, opens them, makes search tags.
///
/// This version has no passcode and is always unlocked; what needs a passcode or somebody to authenticate is refused.
public struct Device: Sendable {
    private let keys: ClassKeys
    private let random: any RandomSource

    /// Opens the keybag of a store, after its authentication.
    ///
    /// - Throws: ``ProtectionError/wrongRootKey``, ``ProtectionError/damagedKeybag(_:)`` or
    ///   ``ProtectionError/newerKeybag(version:)``.
    public init(
        keybag: [UInt8],
        rootKey: any RootKey,
        random: any RandomSource = SystemRandomSource()
    ) throws(ProtectionError) {
        keys = try Keybag.open(keybag, rootKey: rootKey)
        self.random = random
    }

    /// The keybag of a new store, with fresh keys.
    public static func makeKeybag(
        rootKey: any RootKey,
        random: any RandomSource = SystemRandomSource()
    ) throws(ProtectionError) -> [UInt8] {
        try Keybag.create(storeIdentifier: random.bytes16(), rootKey: rootKey)
    }

    /// The maker of search tags for one operation; works in every lock state.
    public func searchTags() -> SearchTags { SearchTags(keys.index) }

    /// Whether the keys are kept out of swap; mlock(2) can be refused, as in a container with a small limit.
    public var keysAreLocked: Bool { keys.areLocked }

    /// Seals an item anew: fresh row key, row version and nonces.
    ///
    /// Sets the digest among its attributes.
    ///
    /// - Throws: ``ProtectionError/classUnavailable(_:)`` when its protection class has no key now,
    ///   ``ProtectionError/tooLarge``.
    public func seal(_ item: inout SealableItem, tags: SearchTags) throws(ProtectionError) -> StoredRow {
        guard let classKey = keys.classKey(item.protection), let metadataKey = keys.metadataKey(item.protection) else {
            throw .classUnavailable(item.protection.rawValue)
        }
        guard (item.secret?.count ?? 0) <= ItemLimits.secretByteCount else { throw .tooLarge }
        let schema = ItemSchema.of(item.itemClass)
        let primaryKeyTag = tags.primaryKeyTag(schema, item.attributes)
        if !item.isTombstone {
            item.attributes[.digest] = .data(tags.digest(primaryKeyTag, secret: item.secret))
        }
        var row = StoredRow(
            itemClass: item.itemClass,
            identifier: item.identifier,
            protection: item.protection.rawValue,
            isTombstone: item.isTombstone,
            keyGeneration: keys.generation,
            version: random.bytes16(),
            primaryKeyTag: primaryKeyTag,
            tags: tags.tags(schema, item.attributes)
        )
        var associatedData = AssociatedData(row)
        row.metadata = try seal(item, under: metadataKey, associatedData.labelled(.metadata))
        row.secret = try seal(item.secret ?? SecretBytes(), under: classKey, associatedData.labelled(.secret))
        return row
    }

    /// Opens the attributes of a row and checks them against everything that lies beside them.
    ///
    /// - Throws: ``ProtectionError/damagedRow(_:)``, or ``ProtectionError/classUnavailable(_:)``.
    public func openMetadata(of row: StoredRow, tags: SearchTags) throws(ProtectionError) -> OpenedMetadata {
        guard let protection = Accessibility(rawValue: row.protection), row.keyGeneration == keys.generation,
            let metadataKey = keys.metadataKey(protection)
        else { throw .damagedRow(.unknownKey) }
        var associatedData = AssociatedData(row)
        let label = associatedData.labelled(.metadata)
        let plain = metadataKey.withKey { key in
            GCM.open(row.metadata[...], under: key, associatedData: label) { Array($0) }
        }
        guard var plain else { throw .damagedRow(.metadata) }
        defer { plain.wipe() }
        let metadata = try MetadataCodec.decode(plain)
        try check(metadata.attributes, against: row, tags)
        return OpenedMetadata(attributes: metadata.attributes, hasSecret: metadata.hasSecret)
    }

    /// Opens the secret of a row whose metadata was opened; `nil` for an item that has none.
    public func openSecret(of row: StoredRow, _ metadata: OpenedMetadata) throws(ProtectionError) -> SecretBytes? {
        guard let protection = Accessibility(rawValue: row.protection), let classKey = keys.classKey(protection) else {
            throw .damagedRow(.unknownKey)
        }
        let wrapped = row.secret.prefix(KeyWrap.wrappedByteCount)
        guard let rowKey = classKey.withKey({ KeyWrap.unwrap(wrapped, under: $0) }) else {
            throw .damagedRow(.secret)
        }
        var associatedData = AssociatedData(row)
        let sealed = row.secret.dropFirst(KeyWrap.wrappedByteCount)
        let label = associatedData.labelled(.secret)
        guard let secret = GCM.open(sealed, under: rowKey, associatedData: label, SecretBytes.init(copying:)) else {
            throw .damagedRow(.secret)
        }
        guard metadata.hasSecret || secret.isEmpty else { throw .damagedRow(.contradiction) }
        return metadata.hasSecret ? secret : nil
    }

    private func seal(
        _ item: SealableItem,
        under key: LockedKey,
        _ associatedData: [UInt8]
    ) throws(ProtectionError) -> [UInt8] {
        var plain = MetadataCodec.encode(.init(attributes: item.attributes, hasSecret: item.secret != nil))
        defer { plain.wipe() }
        guard plain.count <= ItemLimits.metadataByteCount else { throw .tooLarge }
        let bytes = SecretBytes(plain)
        return try key.withKey { key throws(ProtectionError) in
            try bytes.withUnsafeBytes { plain throws(ProtectionError) in
                try GCM.seal(plain, under: key, associatedData: associatedData)
            }
        }
    }

    private func seal(
        _ secret: SecretBytes,
        under classKey: LockedKey,
        _ associatedData: [UInt8]
    ) throws(ProtectionError) -> [UInt8] {
        let rowKey = SymmetricKey(size: .bits256)
        let wrapped = try classKey.withKey { key throws(ProtectionError) in try KeyWrap.wrap(rowKey, under: key) }
        let sealed = try secret.withUnsafeBytes { plain throws(ProtectionError) in
            try GCM.seal(plain, under: rowKey, associatedData: associatedData)
        }
        return wrapped + sealed
    }

    private func check(
        _ attributes: Attributes,
        against row: StoredRow,
        _ tags: SearchTags
    ) throws(ProtectionError) {
        let schema = ItemSchema.of(row.itemClass)
        guard attributes[.accessible] == .string(row.protection),
            attributes[.tombstone] == .number(.integer(row.isTombstone ? 1 : 0)),
            tags.primaryKeyTag(schema, attributes) == row.primaryKeyTag,
            tags.tags(schema, attributes) == row.tags
        else { throw .damagedRow(.contradiction) }
    }
}

/// An item on its way into the store.
public struct SealableItem: Sendable {
    /// The class.
    public var itemClass: ItemClass
    /// The identifier, kept over updates.
    public var identifier: ItemIdentifier
    /// The protection class.
    public var protection: Accessibility
    /// Every attribute, the protection class and the tombstone flag among them.
    public var attributes: Attributes
    /// The secret; `nil` when the item has none, which is not the same as empty.
    public var secret: SecretBytes?
    /// Whether this only remembers a deletion.
    public var isTombstone: Bool

    /// An item.
    public init(
        itemClass: ItemClass,
        identifier: ItemIdentifier,
        protection: Accessibility,
        attributes: Attributes,
        secret: SecretBytes?,
        isTombstone: Bool = false
    ) {
        self.itemClass = itemClass
        self.identifier = identifier
        self.protection = protection
        self.attributes = attributes
        self.secret = secret
        self.isTombstone = isTombstone
        self.attributes[.accessible] = .string(protection.rawValue)
        self.attributes[.tombstone] = .number(.integer(isTombstone ? 1 : 0))
    }
}

/// The attributes of a row, authenticated.
public struct OpenedMetadata: Sendable {
    /// Every stored attribute.
    public let attributes: Attributes
    /// Whether the item has a secret.
    public let hasSecret: Bool
}
