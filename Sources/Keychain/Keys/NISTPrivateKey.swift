// SPDX-License-Identifier: Apache-2.0

public import Foundation

#if canImport(Darwin)
public import CryptoKit
#else
public import Crypto
#endif

#if canImport(Darwin)
public import Security
#else
public import PortableSecurity
#endif

/// A key on a NIST curve: it can be kept as a key as well, and used as a `SecKey`.
public protocol NISTPrivateKey: StorableKey {
    /// Makes the key of `04 || X || Y || K`.
    ///
    /// - Throws: An error when it is no such key.
    init<Bytes: ContiguousBytes>(x963Representation: Bytes) throws

    /// `04 || X || Y || K`.
    var x963Representation: Data { get }
}

extension NISTPrivateKey {
    /// A key of its X9.63 representation.
    public init(keychainRepresentation bytes: Data) throws { try self.init(x963Representation: bytes) }

    /// The X9.63 representation.
    public var keychainRepresentation: Data { x963Representation }

    /// The same key for the functions of Security; `nil` when they do not know the curve.
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
