// swift-format-ignore-file: NeverForceUnwrap
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Security

/// A key pair that lives in the keychain under a tag, as apps keep the one that names a device to a server.
struct KeyPairs {
    enum Failure: Error {
        case status(OSStatus)
        case unsupported
    }

    let tag: Data

    init(tag: String) { self.tag = Data(tag.utf8) }

    /// The private key; made when there is none.
    func privateKey(type: CFString = kSecAttrKeyTypeECSECPrimeRandom, bits: Int = 256) throws -> SecKey {
        if let key = try existing() { return key }
        let attributes: [String: Any] = [
            kSecAttrKeyType as String: type,
            kSecAttrKeySizeInBits as String: bits,
            kSecPrivateKeyAttrs as String: [
                kSecAttrIsPermanent as String: true,
                kSecAttrApplicationTag as String: tag,
            ],
        ]
        var error: Unmanaged<CFError>?
        guard let key = SecKeyCreateRandomKey(attributes as CFDictionary, &error) else {
            throw error!.takeRetainedValue() as any Error
        }
        return key
    }

    func existing() throws -> SecKey? {
        let query: [String: Any] = [
            kSecClass as String: kSecClassKey,
            kSecAttrApplicationTag as String: tag,
            kSecAttrKeyClass as String: kSecAttrKeyClassPrivate,
            kSecReturnRef as String: true,
        ]
        var item: CFTypeRef?
        switch SecItemCopyMatching(query as CFDictionary, &item) {
        case errSecSuccess: return (item as! SecKey)
        case errSecItemNotFound: return nil
        case let status: throw Failure.status(status)
        }
    }

    @discardableResult
    func delete() -> OSStatus {
        SecItemDelete([kSecClass: kSecClassKey, kSecAttrApplicationTag: tag] as CFDictionary)
    }

    func sign(_ message: Data, _ algorithm: SecKeyAlgorithm = .ecdsaSignatureMessageX962SHA256) throws -> Data {
        let key = try privateKey()
        guard SecKeyIsAlgorithmSupported(key, .sign, algorithm) else { throw Failure.unsupported }
        var error: Unmanaged<CFError>?
        guard let signature = SecKeyCreateSignature(key, algorithm, message as CFData, &error) as Data? else {
            throw error!.takeRetainedValue() as any Error
        }
        return signature
    }

    func verify(
        _ signature: Data,
        of message: Data,
        _ algorithm: SecKeyAlgorithm = .ecdsaSignatureMessageX962SHA256
    ) throws -> Bool {
        guard let publicKey = SecKeyCopyPublicKey(try privateKey()) else { return false }
        var error: Unmanaged<CFError>?
        let isValid = SecKeyVerifySignature(publicKey, algorithm, message as CFData, signature as CFData, &error)
        if !isValid, let error = error?.takeRetainedValue(), CFErrorGetCode(error) != Int(errSecVerifyFailed) {
            throw error as any Error
        }
        return isValid
    }

    func seal(_ text: Data, _ algorithm: SecKeyAlgorithm) throws -> Data {
        var error: Unmanaged<CFError>?
        guard let publicKey = SecKeyCopyPublicKey(try privateKey()),
            let sealed = SecKeyCreateEncryptedData(publicKey, algorithm, text as CFData, &error) as Data?
        else { throw error!.takeRetainedValue() as any Error }
        return sealed
    }

    func open(_ sealed: Data, _ algorithm: SecKeyAlgorithm) throws -> Data {
        var error: Unmanaged<CFError>?
        guard let text = SecKeyCreateDecryptedData(try privateKey(), algorithm, sealed as CFData, &error) as Data?
        else { throw error!.takeRetainedValue() as any Error }
        return text
    }

    /// What a server is told of the key.
    func publicKeyData() throws -> Data? {
        guard let publicKey = SecKeyCopyPublicKey(try privateKey()) else { return nil }
        return SecKeyCopyExternalRepresentation(publicKey, nil) as Data?
    }
}
