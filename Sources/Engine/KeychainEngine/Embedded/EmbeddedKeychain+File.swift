// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainProtection
import KeychainStore

/// The engine of a keychain file: a store in memory, which is read from a file and written to it as a whole.
extension EmbeddedKeychain {
    /// A new keychain with a password, unlocked.
    package static func newFile(
        password: SecretBytes,
        device: DeviceOptions,
        clock: any KeychainClock = SystemClock()
    ) -> EmbeddedKeychain {
        EmbeddedKeychain(source: .newFile(password: Once(password)), Self.fileDevice(device), clock)
    }

    /// The keychain that a file has, locked; read by the first command.
    package static func file(
        image: [UInt8],
        device: DeviceOptions,
        clock: any KeychainClock = SystemClock()
    ) -> EmbeddedKeychain {
        EmbeddedKeychain(source: .file(image: Once(image)), Self.fileDevice(device), clock)
    }

    /// The keychain that the same file has, unlocked as this one is.
    package func reopened(image: [UInt8]) -> EmbeddedKeychain {
        let reopened = EmbeddedKeychain(source: .file(image: Once(image)), access.device, access.clock)
        try? Turns.none.withTurn { reopened.access.session.takeKeys(of: access.session) }
        return reopened
    }

    private static func fileDevice(_ device: DeviceOptions) -> DeviceOptions {
        var device = device
        device.owner = .keychainFile
        device.personality = .keychainFile
        return device
    }

    /// The items of a class that no search of a keychain file finds, so that only their existence is known.
    ///
    /// They have modified attributes, belong to no group of a keychain file, or are marked as removed, as items of
    /// keychain files never are.
    ///
    /// - Parameters:
    ///   - itemClass: the class.
    ///   - found: those that a search has found.
    ///   - settingsGroup: the group of the file's own settings, which are not items.
    /// - Returns: Their identifiers, in the order in which they were added.
    /// - Throws: why the keychain cannot be read.
    package func unreadableItems(
        _ itemClass: ItemClass,
        besides found: Set<ItemIdentifier>,
        exceptIn settingsGroup: String
    ) throws(KeychainError) -> [ItemIdentifier] {
        try access.withEngine(.observing) { (engine) throws(KeychainError) in
            try engine.read { (reader) throws(KeychainError) in
                let sealer = ItemSealer(engine.device)
                var identifiers: [ItemIdentifier] = []
                for row in try reader.everyRow(.allRows(of: itemClass)) where !found.contains(row.row.identifier) {
                    if try !sealer.isSound(row, in: settingsGroup) { identifiers.append(row.row.identifier) }
                }
                return identifiers
            }
        }
    }

    /// Removes an item that no search finds.
    package func removeUnreadableItem(_ itemClass: ItemClass, _ identifier: ItemIdentifier) throws(KeychainError) {
        try access.withEngine(.changing) { (engine) throws(KeychainError) in
            try engine.write { (writer) throws(KeychainError) in
                var filter = RowFilter.allRows(of: itemClass)
                filter.identifier = identifier
                for row in try writer.everyRow(filter) { try writer.delete(row) }
            }
        }
    }

    /// The bytes of the store as it is now, for the file.
    package func image() throws(KeychainError) -> [UInt8] {
        try access.withEngine(.reading) { (engine) throws(KeychainError) in try engine.store.image() }
    }
}

extension RowFilter {
    fileprivate static func allRows(of itemClass: ItemClass) -> RowFilter {
        var filter = RowFilter(itemClass)
        filter.includesTombstones = true
        return filter
    }
}

extension ItemSealer {
    /// Whether a row is consistent with its tags, and in an access group.
    fileprivate func isSound(_ row: NumberedRow, in group: String) throws(KeychainError) -> Bool {
        guard row.damage == nil, !row.row.isTombstone, case .content(let metadata) = try openMetadata(row) else {
            return false
        }
        return metadata.attributes[.accessGroup] == .string(group)
    }
}
