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

    private static func fileDevice(_ device: DeviceOptions) -> DeviceOptions {
        var device = device
        device.owner = .keychainFile
        device.personality = .keychainFile
        return device
    }

    /// The items whose attributes do not open, so that nothing is known of them but that they are there.
    package func unreadableItems() throws(KeychainError) -> [(itemClass: ItemClass, identifier: ItemIdentifier)] {
        try access.withEngine(.reading) { (engine) throws(KeychainError) in
            try engine.read { (reader) throws(KeychainError) in
                var items: [(ItemClass, ItemIdentifier)] = []
                for itemClass in ItemClass.stored {
                    items += try reader.quarantinedRows(RowFilter(itemClass)).map { (itemClass, $0.row.identifier) }
                }
                return items
            }
        }
    }

    /// The bytes of the store as it is now, for the file.
    package func image() throws(KeychainError) -> [UInt8] {
        try access.withEngine(.reading) { (engine) throws(KeychainError) in try engine.store.image() }
    }
}
