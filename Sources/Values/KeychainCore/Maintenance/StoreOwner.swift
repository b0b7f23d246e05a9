// SPDX-License-Identifier: Apache-2.0

/// Whose a store is: which kind of program opens it.
package struct StoreOwner: RawRepresentable, Sendable, Hashable {
    /// The number in a file.
    package let rawValue: UInt8

    /// An owner by its number, known or not.
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Every process of the user that uses the library.
    package static let embedded = StoreOwner(rawValue: 1)

    /// The keychain daemon of the user alone.
    package static let daemon = StoreOwner(rawValue: 2)

    /// The keychain daemon of the system alone, which has a user of its own.
    package static let system = StoreOwner(rawValue: 3)

    /// The owner of file-based keychains: the store is a keychain file.
    package static let keychainFile = StoreOwner(rawValue: 4)

    /// No owner: the keychain is being moved between the user's programs and the system's daemon.
    package static let moving = StoreOwner(rawValue: 5)

    /// Its name in messages; the number of one that this version does not know.
    package var name: String { Self.names.first { $0.owner == self }?.name ?? "\(rawValue)" }

    private static let names: [(owner: StoreOwner, name: String)] = [
        (.embedded, "embedded"), (.daemon, "daemon"), (.system, "system"),
        (.keychainFile, "keychain file"), (.moving, "moving"),
    ]
}
