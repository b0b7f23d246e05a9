// swift-format-ignore-file: AlwaysUseLowerCamelCase
// SPDX-License-Identifier: Apache-2.0

/// A padding of the older key functions.
public struct SecPadding: OptionSet, Sendable {
    /// The bits, as Apple numbers them.
    public let rawValue: UInt32

    /// Paddings from their bits.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// PKCS #1 version 1.5.
    public static let PKCS1 = SecPadding(rawValue: 1)
    /// Optimal asymmetric encryption padding.
    public static let OAEP = SecPadding(rawValue: 2)
    /// A raw ECDSA signature.
    public static let sigRaw = SecPadding(rawValue: 0x4000)
    /// PKCS #1 over an MD2 digest.
    public static let PKCS1MD2 = SecPadding(rawValue: 0x8000)
    /// PKCS #1 over an MD5 digest.
    public static let PKCS1MD5 = SecPadding(rawValue: 0x8001)
    /// PKCS #1 over a SHA-1 digest.
    public static let PKCS1SHA1 = SecPadding(rawValue: 0x8002)
    /// PKCS #1 over a SHA-224 digest.
    public static let PKCS1SHA224 = SecPadding(rawValue: 0x8003)
    /// PKCS #1 over a SHA-256 digest.
    public static let PKCS1SHA256 = SecPadding(rawValue: 0x8004)
    /// PKCS #1 over a SHA-384 digest.
    public static let PKCS1SHA384 = SecPadding(rawValue: 0x8005)
    /// PKCS #1 over a SHA-512 digest.
    public static let PKCS1SHA512 = SecPadding(rawValue: 0x8006)
}
