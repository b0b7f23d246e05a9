// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// A parameter of a key exchange.
public struct SecKeyKeyExchangeParameter: RawRepresentable, Hashable, @unchecked Sendable {
    // The string never changes.
    /// The name of the parameter.
    public let rawValue: CFString

    /// A parameter of this name.
    public init(rawValue: CFString) { self.rawValue = rawValue }

    /// The number of bytes to derive.
    public static let requestedSize = SecKeyKeyExchangeParameter(rawValue: "requestedSize")

    /// Data that both sides mix into the key derivation function.
    public static let sharedInfo = SecKeyKeyExchangeParameter(rawValue: "sharedInfo")
}
