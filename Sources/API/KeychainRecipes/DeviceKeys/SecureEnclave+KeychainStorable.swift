// SPDX-License-Identifier: Apache-2.0

#if !canImport(Darwin)
public import CryptoKit
public import Foundation
public import Keychain

// Declared here, because the module Keychain does not depend on CryptoKit; on Apple platforms it declares them itself.

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
