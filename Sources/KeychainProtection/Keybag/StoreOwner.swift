// SPDX-License-Identifier: Apache-2.0

/// Whose a store is: which kind of program opens it.
public struct StoreOwner: RawRepresentable, Sendable, Hashable {
    /// The number in a file.
    public let rawValue: UInt8

    /// An owner by its number, known or not.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Every process of the user that uses the library.
    public static let embedded = StoreOwner(rawValue: 1)

    /// The keychain daemon alone.
    public static let daemon = StoreOwner(rawValue: 2)
}
