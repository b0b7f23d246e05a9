// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainProtection
import KeychainStore

/// Seals items and opens rows, with the keys that the device provides in one transaction.
struct ItemSealer {
    let device: Sealer
    let tags: SearchTags
    /// Whether secrets are opened; certificates, which are public, are in any case.
    private let opensSecrets: Bool

    init(_ device: Sealer, _ searchTagCache: SearchTagCache? = nil, opensSecrets: Bool = true) {
        self.device = device
        self.opensSecrets = opensSecrets
        tags = device.searchTags(searchTagCache)
    }

    /// Seals an item with fresh keys, and sets its digest.
    ///
    /// - Parameters:
    ///   - item: the item.
    ///   - passwordKey: the key of its application password, if it has one.
    ///   - old: the row that it replaces, if it was opened, and the attributes that were set since; the tags of all
    ///     others are reused.
    /// - Returns: The row.
    /// - Throws: `errSecInteractionNotAllowed` when its keys are not available, `errSecDataTooLarge`.
    func seal(
        _ item: inout Item,
        _ passwordKey: PasswordKey? = nil,
        replacing old: ReplacedRow? = nil
    ) throws(KeychainError) -> StoredRow {
        do {
            return try device.seal(&item, tags: tags, passwordKey: passwordKey, replacing: old)
        } catch {
            throw KeychainError(error)
        }
    }

    /// Seals the tombstone of an item: its primary key and creation date, and no secret.
    func tombstone(
        of attributes: Attributes,
        _ itemClass: ItemClass,
        identifier: ItemIdentifier,
        date: Timestamp
    ) throws(KeychainError) -> StoredRow {
        let schema = ItemSchema.of(itemClass)
        var kept = attributes.filter { schema[$0.key]?.isPrimaryKey ?? false }
        kept[.creationDate] = attributes[.creationDate]
        kept[.modificationDate] = .date(date)
        kept[.accessible] = attributes[.accessible]
        kept[.tombstone] = .number(.integer(1))
        var tombstone = Item(itemClass: itemClass, identifier: identifier, attributes: kept)
        return try seal(&tombstone)
    }

    /// Opens the attributes of a row.
    ///
    /// - Throws: `errSecInteractionNotAllowed` when its keys are not available; damage is a value, not an error,
    ///   because the row has to be set aside first.
    func openMetadata(_ row: NumberedRow) throws(KeychainError) -> Opened<OpenedMetadata> {
        try opened(row) { () throws(ProtectionError) in try device.openMetadata(of: row.row) }
    }

    /// Opens the secret of a row, with the key of its application password if it has one; `nil` if no secret is opened.
    func openSecret(
        of row: NumberedRow,
        metadata: OpenedMetadata,
        passwordKey: PasswordKey?
    ) throws(KeychainError) -> Opened<SecretBytes?> {
        guard opensSecrets || row.row.itemClass == .certificate else { return .content(nil) }
        return try opened(row) { () throws(ProtectionError) in
            try device.openSecret(of: row.row, metadata, passwordKey: passwordKey)
        }
    }

    /// The header of a row's application password; `nil` if it has none.
    func passwordHeader(
        _ row: NumberedRow,
        _ metadata: OpenedMetadata
    ) throws(KeychainError) -> Opened<PasswordHeader?> {
        try opened(row) { () throws(ProtectionError) in try device.passwordHeader(of: row.row, metadata) }
    }

    /// Whether a row opens, attributes and secret, and has the tags that its attributes give.
    func condition(of row: NumberedRow) throws(KeychainError) -> RowCondition {
        if device.isDestroyed(row.row) { return .destroyed }
        if row.isOversized { return .damaged(.oversized) }
        switch try isLocked(row) {
        case .damaged(let damaged): return .damaged(damaged.damage)
        case .content(let isLocked): if isLocked { return .locked }
        }
        let metadata: OpenedMetadata
        switch try openMetadataCheckingTags(row) {
        case .damaged(let damaged): return .damaged(damaged.damage)
        case .content(let content): metadata = content
        }
        switch try passwordHeader(row, metadata) {
        case .damaged(let damaged): return .damaged(damaged.damage)
        // The header was authenticated together with everything that it protects, which requires the password to open.
        case .content(.some): return .intact
        case .content(nil): break
        }
        if case .damaged(let damaged) = try openSecret(of: row, metadata: metadata, passwordKey: nil) {
            return .damaged(damaged.damage)
        }
        return .intact
    }

    /// Whether the keys of a row exist but are not available now.
    func isLocked(_ row: NumberedRow) throws(KeychainError) -> Opened<Bool> {
        try opened(row) { () throws(ProtectionError) in try device.isLocked(row.row) }
    }

    private func openMetadataCheckingTags(_ row: NumberedRow) throws(KeychainError) -> Opened<OpenedMetadata> {
        try opened(row) { () throws(ProtectionError) in
            let metadata = try device.openMetadata(of: row.row)
            try device.checkTags(of: row.row, metadata, tags)
            return metadata
        }
    }

    private func opened<Content>(
        _ row: NumberedRow,
        _ open: () throws(ProtectionError) -> Content
    ) throws(KeychainError) -> Opened<Content> {
        if row.isOversized { return .damaged(DamagedRow(row: row, damage: .oversized)) }
        do throws(ProtectionError) {
            return .content(try open())
        } catch .damagedRow(let damage) {
            return .damaged(DamagedRow(row: row, damage: damage))
        } catch {
            throw KeychainError(error)
        }
    }
}

/// A row that does not open.
struct DamagedRow {
    let row: NumberedRow
    let damage: RowDamage
}

/// The outcome of opening a row.
enum Opened<Content> {
    case content(Content)
    case damaged(DamagedRow)
}

/// The condition of a row, as far as it is known without a prompt.
enum RowCondition: Equatable {
    case intact
    case damaged(RowDamage)
    /// Its keys are not available now.
    case locked
    /// Its keys went with the last passcode.
    case destroyed
}

extension Sealer {
    /// Refuses a protection class whose keys are not available now.
    func checkAvailable(_ protection: Accessibility) throws(KeychainError) {
        if isAvailable(protection) { return }
        let isPasscodeMissing = protection == .whenPasscodeSetThisDeviceOnly && keybag.passcodeSlot == nil
        throw KeychainError(isPasscodeMissing ? .noPasscode : .classUnavailable(protection.rawValue))
    }

    /// Whether a row's keys went with the last passcode.
    func isDestroyed(_ row: StoredRow) -> Bool { row.isDestroyed(keybag.destroyedGeneration) }
}

extension KeychainError {
    /// The error for a row in quarantine.
    init(quarantined row: NumberedRow) {
        self.init(.damagedRow(row.damage.flatMap(RowDamage.init(rawValue:)) ?? .metadata))
    }
}
