// swift-format-ignore-file: NeverForceUnwrap
// SPDX-License-Identifier: Apache-2.0

// What the article "Storing CryptoKit keys" shows; a test compares them.

import CryptoKit
import Foundation
import Security

struct KeychainFailure: Error {
    var status: OSStatus
}

/// Keys that make bytes, and are made of them.
protocol ByteKey {
    init(bytes: Data) throws
    var bytes: Data { get }
}

extension Curve25519.Signing.PrivateKey: ByteKey {
    init(bytes: Data) throws { try self.init(rawRepresentation: bytes) }
    var bytes: Data { rawRepresentation }
}

extension Curve25519.KeyAgreement.PrivateKey: ByteKey {
    init(bytes: Data) throws { try self.init(rawRepresentation: bytes) }
    var bytes: Data { rawRepresentation }
}

extension SymmetricKey: ByteKey {
    init(bytes: Data) { self.init(data: bytes) }
    var bytes: Data { withUnsafeBytes { Data($0) } }
}

extension P256.Signing.PrivateKey: ByteKey {
    init(bytes: Data) throws { try self.init(rawRepresentation: bytes) }
    var bytes: Data { rawRepresentation }
}

extension SecureEnclave.P256.Signing.PrivateKey: ByteKey {
    init(bytes: Data) throws { try self.init(dataRepresentation: bytes) }
    var bytes: Data { dataRepresentation }
}

extension SecureEnclave.MLKEM768.PrivateKey: ByteKey {
    init(bytes: Data) throws { try self.init(dataRepresentation: bytes) }
    var bytes: Data { dataRepresentation }
}

enum KeyStore {
    static func store(_ key: some ByteKey, account: String) throws {
        let item: [CFString: Any] = [
            kSecClass: kSecClassGenericPassword,
            kSecAttrAccount: account,
            kSecAttrAccessible: kSecAttrAccessibleWhenUnlockedThisDeviceOnly,
            kSecValueData: key.bytes,
        ]
        let status = SecItemAdd(item as CFDictionary, nil)
        guard status == errSecSuccess else { throw KeychainFailure(status: status) }
    }

    static func read<Key: ByteKey>(_ type: Key.Type, account: String) throws -> Key? {
        let query: [CFString: Any] = [
            kSecClass: kSecClassGenericPassword,
            kSecAttrAccount: account,
            kSecReturnData: true,
        ]
        var result: CFTypeRef?
        let status = SecItemCopyMatching(query as CFDictionary, &result)
        if status == errSecItemNotFound { return nil }
        guard status == errSecSuccess, let bytes = result as? Data else { throw KeychainFailure(status: status) }
        return try Key(bytes: bytes)
    }
}

/// Keys that can be a `SecKey`.
protocol X963Key {
    init(x963: Data) throws
    var x963: Data { get }
}

extension P256.Signing.PrivateKey: X963Key {
    init(x963: Data) throws { try self.init(x963Representation: x963) }
    var x963: Data { x963Representation }
}

extension P384.KeyAgreement.PrivateKey: X963Key {
    init(x963: Data) throws { try self.init(x963Representation: x963) }
    var x963: Data { x963Representation }
}

extension P521.Signing.PrivateKey: X963Key {
    init(x963: Data) throws { try self.init(x963Representation: x963) }
    var x963: Data { x963Representation }
}

enum KeyPairStore {
    static func store(_ key: some X963Key, tag: String) throws {
        let attributes: [CFString: Any] = [
            kSecAttrKeyType: kSecAttrKeyTypeECSECPrimeRandom,
            kSecAttrKeyClass: kSecAttrKeyClassPrivate,
        ]
        var error: Unmanaged<CFError>?
        guard let secKey = SecKeyCreateWithData(key.x963 as CFData, attributes as CFDictionary, &error) else {
            throw error?.takeRetainedValue() ?? KeychainFailure(status: errSecParam)
        }
        let item: [CFString: Any] = [
            kSecValueRef: secKey,
            kSecAttrApplicationTag: Data(tag.utf8),
            kSecAttrAccessible: kSecAttrAccessibleWhenUnlocked,
        ]
        let status = SecItemAdd(item as CFDictionary, nil)
        guard status == errSecSuccess else { throw KeychainFailure(status: status) }
    }

    static func read<Key: X963Key>(_ type: Key.Type, tag: String) throws -> Key? {
        let query: [CFString: Any] = [
            kSecClass: kSecClassKey,
            kSecAttrApplicationTag: Data(tag.utf8),
            kSecAttrKeyType: kSecAttrKeyTypeECSECPrimeRandom,
            kSecReturnRef: true,
        ]
        var result: CFTypeRef?
        let status = SecItemCopyMatching(query as CFDictionary, &result)
        if status == errSecItemNotFound { return nil }
        guard status == errSecSuccess, let secKey = result as! SecKey? else { throw KeychainFailure(status: status) }
        var error: Unmanaged<CFError>?
        guard let bytes = SecKeyCopyExternalRepresentation(secKey, &error) as Data? else {
            throw error?.takeRetainedValue() ?? KeychainFailure(status: errSecParam)
        }
        return try Key(x963: bytes)
    }
}
