// SPDX-License-Identifier: Apache-2.0

#if !canImport(Darwin)
public import CryptoKit
public import Foundation
public import Keychain

// Here, because the module Keychain does not stand on CryptoKit; on Apple platforms it has them itself.

extension SecureEnclave.P256.Signing.PrivateKey: KeychainStorable {
    /// A key of its sealed form; an error for that of another device.
    public init(keychainRepresentation: Data) throws { try self.init(dataRepresentation: keychainRepresentation) }

    /// The key, sealed by the device.
    public var keychainRepresentation: Data { dataRepresentation }
}

extension SecureEnclave.P256.KeyAgreement.PrivateKey: KeychainStorable {
    /// A key of its sealed form; an error for that of another device.
    public init(keychainRepresentation: Data) throws { try self.init(dataRepresentation: keychainRepresentation) }

    /// The key, sealed by the device.
    public var keychainRepresentation: Data { dataRepresentation }
}
#endif
