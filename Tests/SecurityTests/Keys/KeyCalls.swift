// SPDX-License-Identifier: Apache-2.0

import Foundation
import Security
import Testing

/// The key functions with Swift's types and errors that say their status.
enum KeyCalls {
    typealias ErrorPointer = UnsafeMutablePointer<Unmanaged<CFError>?>

    /// What a function gives, or the status of the error that it handed over.
    static func perform<Result>(_ body: (ErrorPointer) -> Result?) -> (result: Result?, status: OSStatus) {
        var error: Unmanaged<CFError>?
        let result = body(&error)
        guard let error = error?.takeRetainedValue() else { return (result, errSecSuccess) }
        return (result, error.domain == NSOSStatusErrorDomain ? OSStatus(error.code) : errSecInternalComponent)
    }

    static func make(_ parameters: [CFString: Any]) -> (result: SecKey?, status: OSStatus) {
        perform { SecKeyCreateRandomKey(parameters as CFDictionary, $0) }
    }

    static func read(_ data: Data, _ attributes: [CFString: Any]) -> (result: SecKey?, status: OSStatus) {
        perform { SecKeyCreateWithData(data as CFData, attributes as CFDictionary, $0) }
    }

    static func export(_ key: SecKey) -> Data? {
        SecKeyCopyExternalRepresentation(key, nil) as Data?
    }

    static func sign(with key: SecKey, algorithm: SecKeyAlgorithm, data: Data) -> (result: Data?, status: OSStatus) {
        perform { SecKeyCreateSignature(key, algorithm, data as CFData, $0) as Data? }
    }

    static func verify(with key: SecKey, algorithm: SecKeyAlgorithm, data: Data, signature: Data) -> OSStatus {
        let call = perform {
            SecKeyVerifySignature(key, algorithm, data as CFData, signature as CFData, $0) ? true : nil
        }
        return call.result == true && call.status != errSecSuccess ? errSecInternalComponent : call.status
    }

    static func encrypt(with key: SecKey, algorithm: SecKeyAlgorithm, data: Data) -> (result: Data?, status: OSStatus) {
        perform { SecKeyCreateEncryptedData(key, algorithm, data as CFData, $0) as Data? }
    }

    static func decrypt(with key: SecKey, algorithm: SecKeyAlgorithm, data: Data) -> (result: Data?, status: OSStatus) {
        perform { SecKeyCreateDecryptedData(key, algorithm, data as CFData, $0) as Data? }
    }
}

/// Pairs that tests share, each made once.
enum KeyPairs {
    static let p256 = make(kSecAttrKeyTypeECSECPrimeRandom, 256)
    static let p384 = make(kSecAttrKeyTypeEC, 384)
    static let rsa = make(kSecAttrKeyTypeRSA, 2048)

    private static func make(_ type: CFString, _ size: Int) -> (privateKey: SecKey, publicKey: SecKey) {
        let key = KeyCalls.make([kSecAttrKeyType: type, kSecAttrKeySizeInBits: size]).result
        guard let key, let publicKey = SecKeyCopyPublicKey(key) else { preconditionFailure("no key could be made") }
        return (key, publicKey)
    }
}
