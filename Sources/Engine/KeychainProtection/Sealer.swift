// SPDX-License-Identifier: Apache-2.0

import Crypto
import KeychainCore

/// Seals and opens rows and keys of the enclave.
///
/// It uses the keys that one transaction may use: those of a keybag, and those that its passcode unlocked.
package struct Sealer: Sendable {
    /// The keybag.
    package let keybag: OpenKeybag

    private let unlocked: UnlockedKeys?
    private let random: any RandomSource

    /// Creates a sealer for one lock state: before the first unlock, and always without a passcode, there are no
    /// unlocked keys.
    package init(
        _ keybag: OpenKeybag,
        _ unlocked: UnlockedKeys? = nil,
        random: any RandomSource = SystemRandomSource()
    ) {
        self.keybag = keybag
        self.unlocked = unlocked
        self.random = random
    }

    /// The sealer of the same device in another state, with the keys that remain in it; `nil` for a state that has keys
    /// that are locked now, and for one that does not occur on a device without a passcode.
    package func inState(_ state: LockState) -> Sealer? {
        guard keybag.passcodeSlot != nil else { return state == .unlocked ? self : nil }
        switch state {
        case .beforeFirstUnlock: return Sealer(keybag, nil, random: random)
        case .locked: return unlocked.map { Sealer(keybag, $0.locked(), random: random) }
        case .unlocked: return unlocked.map(\.isLocked) == false ? self : nil
        }
    }

    /// The search tag generator for one operation; works in every lock state.
    ///
    /// The cache contains tags that were created with this keybag before.
    package func searchTags(_ cache: SearchTagCache? = nil) -> SearchTags { keybag.searchTags(cache) }

    /// Whether the rows are those of a keychain file, whose attributes can be read at any time.
    package var isOfKeychainFile: Bool { keybag.owner == .keychainFile }

    /// Whether items of a protection class can be sealed and opened now.
    package func isAvailable(_ accessibility: Accessibility) -> Bool {
        (try? key(.classKey(accessibility))) != nil
    }

    /// Seals an item with a fresh row key, row version and nonces.
    ///
    /// It sets the protection class, the tombstone flag and the digest among the attributes. If the access control
    /// requires an application password, opening the item requires the password's key. Attributes that are unchanged
    /// from the replaced row keep their tags.
    ///
    /// - Throws: ``ProtectionError/classUnavailable(_:)`` if its protection class has no available key,
    ///   ``ProtectionError/noPasscode``, ``ProtectionError/passwordMissing``, ``ProtectionError/tooLarge``.
    package func seal(
        _ item: inout Item,
        tags: SearchTags,
        passwordKey: PasswordKey? = nil,
        replacing old: ReplacedRow? = nil
    ) throws(ProtectionError) -> StoredRow {
        let (protection, isTombstone) = (item.protection, item.isTombstone)
        item.attributes[.accessible] = .string(protection.rawValue)
        item.attributes[.tombstone] = .number(.integer(isTombstone ? 1 : 0))
        try check(protection, of: item.itemClass, item.attributes)
        let generation = try generation(of: protection)
        // So that no other error is reported for an item that cannot be stored now.
        let classKey = KeyDerivation(from: try key(.classKey(protection)))
        let passwordKey = item.attributes.requireApplicationPassword ? passwordKey : nil
        guard passwordKey != nil || !item.attributes.requireApplicationPassword else { throw .passwordMissing }
        let limit = isOfKeychainFile ? ItemLimits.fileContentsByteCount : ItemLimits.secretByteCount
        guard (item.secret?.count ?? 0) <= limit else { throw .tooLarge }
        let schema = ItemSchema.of(item.itemClass)
        let primaryKeyTag = tags.primaryKeyTag(schema, item.attributes, replacing: old)
        if !isTombstone {
            // A digest of the secret would permit guessing it from the attributes without the application password, and
            // would reveal changes of secrets in keychain files, whose attributes are unencrypted.
            let secret = passwordKey == nil && !isOfKeychainFile ? item.secret : nil
            item.attributes[.digest] = .data(
                ItemDigest.make(primaryKeyTag, secret: secret, under: classKey, of: storeIdentifier)
            )
        }
        let random = RowRandom(self.random)
        var row = StoredRow(
            itemClass: item.itemClass,
            identifier: item.identifier,
            protection: protection.rawValue,
            isTombstone: isTombstone,
            keyGeneration: generation,
            version: random.version,
            primaryKeyTag: primaryKeyTag,
            tags: tags.tags(schema, item.attributes, replacing: old)
        )
        let metadata = MetadataCodec.Metadata(attributes: item.attributes, hasSecret: item.secret != nil)
        let part = try RowMetadata(row, self)
        row.metadata = try part.seal(metadata, random.metadataNonce)
        row.secret = try RowSecret(of: row, keys: self, associatedData: part.associatedData, under: classKey)
            .seal(item.secret ?? SecretBytes(), passwordKey: passwordKey, nonce: random.secretNonce)
        row.lookup = try listed(row, item.attributes)
        row.accessGroup = item.attributes.accessGroupName
        return row
    }

    /// Whether a row's keys exist but are not available now.
    ///
    /// - Throws: ``ProtectionError/damagedRow(_:)`` for a row of unknown keys.
    package func isLocked(_ row: StoredRow) throws(ProtectionError) -> Bool {
        !isAvailable(try protection(of: row))
    }

    /// Opens the attributes of a row.
    ///
    /// They are bound to the row's tags and unencrypted columns, so the tags are not recomputed.
    ///
    /// - Throws: ``ProtectionError/damagedRow(_:)``, or ``ProtectionError/classUnavailable(_:)`` for a row whose keys
    ///   exist but are not available now.
    package func openMetadata(of row: StoredRow) throws(ProtectionError) -> OpenedMetadata {
        let part = try RowMetadata(row, self)
        let metadata = try part.open()
        try check(Accessibility(rawValue: row.protection), of: row.itemClass, metadata.attributes)
        return OpenedMetadata(
            attributes: metadata.attributes,
            hasSecret: metadata.hasSecret,
            associatedData: part.associatedData
        )
    }

    /// In a keychain file, refuses a protection class that is not the one of the item's class.
    ///
    /// There, attributes can be modified by anyone with write permission; they must not determine the key under which a
    /// secret is sealed.
    private func check(
        _ protection: Accessibility?,
        of itemClass: ItemClass,
        _ attributes: Attributes
    ) throws(ProtectionError) {
        guard isOfKeychainFile else { return }
        guard protection == ItemSchema.of(itemClass).defaultAccessibility, attributes[.accessControl] == nil else {
            throw .damagedRow(.contradiction)
        }
    }

    /// Recomputes the tags of a row, to check the whole store.
    ///
    /// - Throws: ``ProtectionError/damagedRow(_:)`` if they differ from those of the row.
    package func checkTags(
        of row: StoredRow,
        _ metadata: OpenedMetadata,
        _ tags: SearchTags
    ) throws(ProtectionError) {
        let schema = ItemSchema.of(row.itemClass)
        // Others have tags in a store of the format before that could not be migrated, and in one of a later revision.
        let found = row.tags.filter { schema.searchableNames.contains($0.name) }
        guard tags.primaryKeyTag(schema, metadata.attributes) == row.primaryKeyTag,
            tags.tags(schema, metadata.attributes) == found
        else { throw .damagedRow(.contradiction) }
    }

    /// Opens the secret of a row whose metadata was opened; `nil` for an item without a secret.
    ///
    /// - Throws: ``ProtectionError/damagedRow(_:)``, ``ProtectionError/classUnavailable(_:)``, or
    ///   ``ProtectionError/passwordMissing`` without the key for the row's header.
    package func openSecret(
        of row: StoredRow,
        _ metadata: OpenedMetadata,
        passwordKey: PasswordKey? = nil
    ) throws(ProtectionError) -> SecretBytes? {
        let opened = try RowSecret(of: row, keys: self, associatedData: metadata.associatedData)
            .open(needsPassword: metadata.attributes.requireApplicationPassword, passwordKey)
        guard metadata.hasSecret || opened.isEmpty else { throw .damagedRow(.contradiction) }
        return metadata.hasSecret ? opened : nil
    }

    /// The parameters for deriving the key of a row's application password; `nil` if the item has none.
    ///
    /// The header is sealed under the row's key, and so is authentic.
    ///
    /// - Throws: ``ProtectionError/damagedRow(_:)`` or ``ProtectionError/classUnavailable(_:)``.
    package func passwordHeader(
        of row: StoredRow,
        _ metadata: OpenedMetadata
    ) throws(ProtectionError) -> PasswordHeader? {
        guard metadata.attributes.requireApplicationPassword else { return nil }
        return try RowSecret(of: row, keys: self, associatedData: metadata.associatedData).passwordHeader()
    }

    /// Converts a row of the previous format: it is resealed if its keys are available and it opens; else, and in
    /// quarantine, it is kept as it was, without an unencrypted tag of its digest.
    package func migrate(
        _ row: StoredRow,
        isInQuarantine: Bool,
        _ tags: SearchTags
    ) throws(ProtectionError) -> StoredRow {
        if !isInQuarantine, let row = resealed(row, tags) { return row }
        return try concealed(row)
    }

    /// A row resealed in this format; `nil` if its keys are not available, or it does not open.
    package func resealed(_ row: StoredRow, _ tags: SearchTags) -> StoredRow? {
        try? reseal(row, under: self, tags: tags, random: random)
    }

    /// Opens a row to compare it with one of a backup.
    ///
    /// - Throws: ``ProtectionError/damagedRow(_:)``, ``ProtectionError/classUnavailable(_:)``.
    package func openBackedUp(_ row: StoredRow) throws(ProtectionError) -> OpenedBackupRow { try open(row) }

    /// Seals a row of a backup, or what was changed of it.
    ///
    /// - Throws: ``ProtectionError/classUnavailable(_:)``, ``ProtectionError/tooLarge``.
    package func sealBackedUp(_ row: OpenedBackupRow, _ tags: SearchTags) throws(ProtectionError) -> StoredRow {
        try seal(row, tags: tags, random: random)
    }

    /// The generation of the keys that seal new rows of a protection class.
    func generation(of accessibility: Accessibility) throws(ProtectionError) -> UInt32 {
        if let generation = currentGeneration(of: accessibility) { return generation }
        throw accessibility == .whenPasscodeSetThisDeviceOnly ? .noPasscode : .classUnavailable(accessibility.rawValue)
    }
}

extension Sealer: RowKeys {
    var storeIdentifier: Bytes16 { keybag.storeIdentifier }

    var floor: ScryptFloor { keybag.floor }

    var listsLookupAttributes: Bool { !isOfKeychainFile }

    func currentGeneration(of accessibility: Accessibility) -> UInt32? {
        keybag.keybag.generation(of: accessibility)
    }

    func key(_ purpose: Keybag.Entry.Purpose) throws(ProtectionError) -> LockedKey {
        try keybag.key(purpose, unlocked)
    }
}

/// A row that was opened and so is authentic, and that is replaced by another version of its item.
package struct ReplacedRow: Sendable {
    let row: StoredRow
    let changed: Set<AttributeName>

    /// A row, and the attributes that were changed.
    package init(_ row: StoredRow, changed: Set<AttributeName>) {
        self.row = row
        self.changed = changed
    }
}

/// The attributes of a row, authenticated.
package struct OpenedMetadata: Sendable {
    /// Every stored attribute.
    package let attributes: Attributes
    /// Whether the item has a secret.
    package let hasSecret: Bool
    /// The associated data of both parts of the row.
    let associatedData: AssociatedData
}
