// SPDX-License-Identifier: Apache-2.0

public import Foundation

#if canImport(Darwin)
public import CryptoKit
#else
public import Crypto
#endif

extension SymmetricKey: StorableKey {
    /// A key of bytes.
    public init(keychainRepresentation bytes: Data) { self.init(data: bytes) }

    /// The bytes.
    public var keychainRepresentation: Data { withUnsafeBytes { Data($0) } }
}

extension Curve25519.Signing.PrivateKey: StorableKey {
    /// A key of its raw representation.
    public init(keychainRepresentation bytes: Data) throws { try self.init(rawRepresentation: bytes) }

    /// The raw representation.
    public var keychainRepresentation: Data { rawRepresentation }
}

extension Curve25519.KeyAgreement.PrivateKey: StorableKey {
    /// A key of its raw representation.
    public init(keychainRepresentation bytes: Data) throws { try self.init(rawRepresentation: bytes) }

    /// The raw representation.
    public var keychainRepresentation: Data { rawRepresentation }
}
