// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainTesting
import Security
import Testing

@Suite("A key pair under a tag", .fieldApp)
struct KeyPairsTests {
    @Test("is made once, found again, signs, and is gone when deleted")
    func elliptic() throws {
        try withScratchService("keys.elliptic") { service in
            let keys = KeyPairs(tag: service)
            #expect(try keys.existing() == nil)
            let message = Data("attack at dawn".utf8)
            let signature = try keys.sign(message)
            #expect(try keys.verify(signature, of: message))
            #expect(try !keys.verify(signature, of: Data("attack at dusk".utf8)))

            let again = KeyPairs(tag: service)
            #expect(try again.existing() == keys.privateKey())
            #expect(try again.verify(signature, of: message))
            #expect(try again.publicKeyData()?.count == 65)
            let sealed = try again.seal(message, .eciesEncryptionCofactorVariableIVX963SHA256AESGCM)
            #expect(try keys.open(sealed, .eciesEncryptionCofactorVariableIVX963SHA256AESGCM) == message)

            #expect(keys.delete() == errSecSuccess)
            #expect(try keys.existing() == nil)
        }
    }

    @Test("an RSA key signs with PSS and opens what OAEP sealed")
    func rsa() throws {
        try withScratchService("keys.rsa") { service in
            let keys = KeyPairs(tag: service)
            let key = try keys.privateKey(type: kSecAttrKeyTypeRSA, bits: 2048)
            #expect(SecKeyGetBlockSize(key) == 256)
            let attributes = try #require(SecKeyCopyAttributes(key) as? [String: Any])
            #expect(attributes[kSecAttrKeyType as String] as? String == kSecAttrKeyTypeRSA as String)
            #expect(attributes[kSecAttrKeySizeInBits as String] as? Int == 2048)
            let message = Data("attack at dawn".utf8)
            let signature = try keys.sign(message, .rsaSignatureMessagePSSSHA256)
            #expect(try keys.verify(signature, of: message, .rsaSignatureMessagePSSSHA256))
            let sealed = try keys.seal(message, .rsaEncryptionOAEPSHA512)
            #expect(try keys.open(sealed, .rsaEncryptionOAEPSHA512) == message)
            #expect(throws: KeyPairs.Failure.self) { try keys.sign(message) }
        }
    }
}
