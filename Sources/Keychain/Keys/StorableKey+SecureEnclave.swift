// SPDX-License-Identifier: Apache-2.0

// On Linux the Secure Enclave is in this package's CryptoKit, which this module does not bring along.
#if canImport(Darwin)
public import CryptoKit
public import Foundation

extension SecureEnclave.P256.Signing.PrivateKey: StorableKey {
    /// A key of its data representation.
    public init(keychainRepresentation bytes: Data) throws { try self.init(dataRepresentation: bytes) }

    /// The key, sealed by the device.
    public var keychainRepresentation: Data { dataRepresentation }
}

extension SecureEnclave.P256.KeyAgreement.PrivateKey: StorableKey {
    /// A key of its data representation.
    public init(keychainRepresentation bytes: Data) throws { try self.init(dataRepresentation: bytes) }

    /// The key, sealed by the device.
    public var keychainRepresentation: Data { dataRepresentation }
}
#endif
