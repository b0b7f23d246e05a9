// SPDX-License-Identifier: Apache-2.0

/// Whose a store is: which kind of program opens it.
public struct StoreOwner: RawRepresentable, Sendable, Hashable {
    /// The number in a file.
    public let rawValue: UInt8

    /// An owner by its number, known or not.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Every process of the user that uses the library.
    public static let embedded = StoreOwner(rawValue: 1)

    /// The keychain daemon of the user alone.
    public static let daemon = StoreOwner(rawValue: 2)

    /// The keychain daemon of the system alone, which has a user of its own.
    public static let system = StoreOwner(rawValue: 3)

    /// What keeps file-based keychains: the store is a keychain file.
    public static let keychainFile = StoreOwner(rawValue: 4)

    /// Nobody: the keychain is being moved between the user's programs and the system's daemon.
    public static let moving = StoreOwner(rawValue: 5)

    /// Its name in messages; the number of one that this version does not know.
    package var name: String { Self.names.first { $0.owner == self }?.name ?? "\(rawValue)" }

    private static let names: [(owner: StoreOwner, name: String)] = [
        (.embedded, "embedded"), (.daemon, "daemon"), (.system, "system"),
        (.keychainFile, "keychain file"), (.moving, "moving"),
    ]
}
