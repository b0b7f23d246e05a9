// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import PortableSecurity

#if canImport(Darwin)
public import CryptoKit
#else
public import Crypto
#endif

extension SymmetricKey: KeychainStorable {
    /// A key of these bytes.
    public init(keychainRepresentation bytes: Data) { self.init(data: bytes) }

    /// The bytes of the key.
    public var keychainRepresentation: Data { withUnsafeBytes { Data($0) } }
}

extension Curve25519.Signing.PrivateKey: KeychainStorable {
    /// A key of its raw representation (RFC 8032).
    public init(keychainRepresentation bytes: Data) throws { try self.init(rawRepresentation: bytes) }

    /// The raw representation.
    public var keychainRepresentation: Data { rawRepresentation }
}

extension Curve25519.KeyAgreement.PrivateKey: KeychainStorable {
    /// A key of its raw representation (RFC 7748).
    public init(keychainRepresentation bytes: Data) throws { try self.init(rawRepresentation: bytes) }

    /// The raw representation.
    public var keychainRepresentation: Data { rawRepresentation }
}

/// A private key on a NIST curve: it can also be stored as a key item, and used as a `SecKey`.
public protocol NISTPrivateKey: KeychainStorable {
    /// Creates the key from `04 || X || Y || K` (ANSI X9.63).
    ///
    /// - Throws: An error if it is not such a key.
    init<Bytes: ContiguousBytes>(x963Representation: Bytes) throws

    /// `04 || X || Y || K` (ANSI X9.63).
    var x963Representation: Data { get }
}

extension NISTPrivateKey {
    /// A key of its X9.63 representation.
    public init(keychainRepresentation bytes: Data) throws { try self.init(x963Representation: bytes) }

    /// The X9.63 representation.
    public var keychainRepresentation: Data { x963Representation }

    /// The same key for the functions of Security; `nil` if they do not support the curve.
    public var secKey: SecKey? {
        let attributes: [String: Any] = [
            kSecAttrKeyType as String: kSecAttrKeyTypeECSECPrimeRandom,
            kSecAttrKeyClass as String: kSecAttrKeyClassPrivate,
        ]
        return SecKeyCreateWithData(
            x963Representation as NSData as CFData,
            NSDictionary(dictionary: attributes) as CFDictionary,
            nil
        )
    }
}

extension P256.Signing.PrivateKey: NISTPrivateKey {}
extension P256.KeyAgreement.PrivateKey: NISTPrivateKey {}
extension P384.Signing.PrivateKey: NISTPrivateKey {}
extension P384.KeyAgreement.PrivateKey: NISTPrivateKey {}
extension P521.Signing.PrivateKey: NISTPrivateKey {}
extension P521.KeyAgreement.PrivateKey: NISTPrivateKey {}

// On Linux the Secure Enclave is in this package's CryptoKit, on which this module does not depend.
#if canImport(Darwin)
extension SecureEnclave.P256.Signing.PrivateKey: KeychainStorable {
    /// A key of its data representation.
    public init(keychainRepresentation bytes: Data) throws { try self.init(dataRepresentation: bytes) }

    /// The key, sealed by the device.
    public var keychainRepresentation: Data { dataRepresentation }
}

extension SecureEnclave.P256.KeyAgreement.PrivateKey: KeychainStorable {
    /// A key of its data representation.
    public init(keychainRepresentation bytes: Data) throws { try self.init(dataRepresentation: bytes) }

    /// The key, sealed by the device.
    public var keychainRepresentation: Data { dataRepresentation }
}
#endif
