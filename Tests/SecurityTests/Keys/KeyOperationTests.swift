// SPDX-License-Identifier: Apache-2.0

import Foundation
import Security
import Testing

/// Signatures, encryption and key exchange with Apple's functions.
struct KeyOperationTests {
    private static let message = Data("a message".utf8)

    @Test(
        "signatures",
        arguments: [
            SecKeyAlgorithm.ecdsaSignatureMessageX962SHA256, .ecdsaSignatureMessageRFC4754SHA384,
            .rsaSignatureMessagePKCS1v15SHA224, .rsaSignatureMessagePSSSHA256, .rsaSignatureRaw,
        ]
    )
    func signatures(_ algorithm: SecKeyAlgorithm) throws {
        let isRSA = (algorithm.rawValue as String).contains("RSA")
        let (pair, other) = isRSA ? (KeyPairs.rsa, KeyPairs.p256) : (KeyPairs.p256, KeyPairs.rsa)
        let made = KeyCalls.sign(with: pair.privateKey, algorithm: algorithm, data: Self.message)
        let signature = try #require(made.result)
        #expect(made.status == errSecSuccess)
        #expect(
            KeyCalls.verify(with: pair.publicKey, algorithm: algorithm, data: Self.message, signature: signature)
                == errSecSuccess
        )
        var changed = signature
        changed[changed.count - 1] ^= 1
        #expect(
            KeyCalls.verify(with: pair.publicKey, algorithm: algorithm, data: Self.message, signature: changed)
                == errSecVerifyFailed
        )
        #expect(
            KeyCalls.verify(with: pair.publicKey, algorithm: algorithm, data: Data(), signature: signature)
                == errSecVerifyFailed
        )
        #expect(
            KeyCalls.verify(with: pair.publicKey, algorithm: algorithm, data: Self.message, signature: Data())
                == errSecVerifyFailed
        )
        #expect(
            KeyCalls.verify(with: pair.privateKey, algorithm: algorithm, data: Self.message, signature: signature)
                == errSecParam
        )
        #expect(
            KeyCalls.verify(with: other.publicKey, algorithm: algorithm, data: Self.message, signature: signature)
                == errSecParam
        )
        for key in [pair.publicKey, other.privateKey] {
            let refused = KeyCalls.sign(with: key, algorithm: algorithm, data: Self.message)
            #expect(refused.result == nil && refused.status == errSecParam)
        }
        #expect(!SecKeyVerifySignature(pair.publicKey, algorithm, Data() as CFData, signature as CFData, nil))
    }

    @Test(
        "encryption",
        arguments: [
            SecKeyAlgorithm.eciesEncryptionCofactorVariableIVX963SHA256AESGCM, .eciesEncryptionStandardX963SHA1AESGCM,
            .rsaEncryptionPKCS1, .rsaEncryptionOAEPSHA512, .rsaEncryptionOAEPSHA224AESGCM,
        ]
    )
    func encryption(_ algorithm: SecKeyAlgorithm) throws {
        let isRSA = (algorithm.rawValue as String).contains("RSA")
        let pair = isRSA ? KeyPairs.rsa : KeyPairs.p384
        for plaintext in [Self.message, Data()] {
            let ciphertext = try #require(
                KeyCalls.encrypt(with: pair.publicKey, algorithm: algorithm, data: plaintext).result
            )
            #expect(KeyCalls.decrypt(with: pair.privateKey, algorithm: algorithm, data: ciphertext).result == plaintext)
            let short = KeyCalls.decrypt(with: pair.privateKey, algorithm: algorithm, data: ciphertext.dropLast())
            #expect(short.result == nil && short.status == errSecParam)
            #expect(
                KeyCalls.decrypt(with: pair.publicKey, algorithm: algorithm, data: ciphertext).status == errSecParam
            )
        }
        #expect(KeyCalls.encrypt(with: pair.privateKey, algorithm: algorithm, data: Self.message).status == errSecParam)
        #expect(KeyCalls.decrypt(with: pair.privateKey, algorithm: algorithm, data: Data()).status == errSecParam)
    }

    @Test("too much for a block is errSecParam")
    func tooMuch() {
        let long = Data(repeating: 1, count: 300)
        for algorithm in [SecKeyAlgorithm.rsaEncryptionPKCS1, .rsaEncryptionOAEPSHA1, .rsaEncryptionRaw] {
            let call = KeyCalls.encrypt(with: KeyPairs.rsa.publicKey, algorithm: algorithm, data: long)
            #expect(call.result == nil && call.status == errSecParam)
        }
        #expect(
            KeyCalls.sign(with: KeyPairs.rsa.privateKey, algorithm: .rsaSignatureRaw, data: long).status == errSecParam
        )
        #expect(
            KeyCalls.sign(with: KeyPairs.rsa.privateKey, algorithm: .rsaSignatureDigestPKCS1v15SHA256, data: long)
                .status == errSecParam
        )
    }

    @Test("support says what the functions do")
    func support() {
        let algorithm = SecKeyAlgorithm.ecdsaSignatureDigestX962SHA512
        #expect(SecKeyIsAlgorithmSupported(KeyPairs.p256.privateKey, .sign, algorithm))
        #expect(!SecKeyIsAlgorithmSupported(KeyPairs.p256.privateKey, .verify, algorithm))
        #expect(SecKeyIsAlgorithmSupported(KeyPairs.p256.publicKey, .verify, algorithm))
        #expect(!SecKeyIsAlgorithmSupported(KeyPairs.rsa.privateKey, .sign, algorithm))
        #expect(SecKeyIsAlgorithmSupported(KeyPairs.p256.privateKey, .keyExchange, .ecdhKeyExchangeStandard))
        #expect(!SecKeyIsAlgorithmSupported(KeyPairs.p256.publicKey, .keyExchange, .ecdhKeyExchangeStandard))
        #expect(SecKeyIsAlgorithmSupported(KeyPairs.rsa.publicKey, .encrypt, .rsaEncryptionOAEPSHA384))
        #expect(SecKeyIsAlgorithmSupported(KeyPairs.rsa.privateKey, .decrypt, .rsaEncryptionOAEPSHA384))
        let unknown = SecKeyAlgorithm(rawValue: "algid:sign:nothing")
        #expect(!SecKeyIsAlgorithmSupported(KeyPairs.rsa.privateKey, .sign, unknown))
        #expect(
            KeyCalls.sign(with: KeyPairs.rsa.privateKey, algorithm: unknown, data: Self.message).status == errSecParam
        )
    }

    @Test("key exchange takes its parameters")
    func keyExchange() throws {
        let other = try #require(
            KeyCalls.make([kSecAttrKeyType: kSecAttrKeyTypeEC, kSecAttrKeySizeInBits: 256]).result
        )
        let otherPublic = try #require(SecKeyCopyPublicKey(other))
        func exchange(_ algorithm: SecKeyAlgorithm, _ parameters: [CFString: Any]) -> (result: Data?, status: OSStatus)
        {
            KeyCalls.perform {
                let parameters = parameters as CFDictionary
                return SecKeyCopyKeyExchangeResult(KeyPairs.p256.privateKey, algorithm, otherPublic, parameters, $0)
                    as Data?
            }
        }
        #expect(exchange(.ecdhKeyExchangeStandard, [:]).result?.count == 32)
        #expect(exchange(.ecdhKeyExchangeCofactor, [:]).result == exchange(.ecdhKeyExchangeStandard, [:]).result)
        let (size, info) = (SecKeyKeyExchangeParameter.requestedSize, SecKeyKeyExchangeParameter.sharedInfo)
        #expect(size.rawValue == "requestedSize" && info.rawValue == "sharedInfo")
        let algorithm = SecKeyAlgorithm.ecdhKeyExchangeStandardX963SHA256
        let plain = exchange(algorithm, [size.rawValue: 50])
        #expect(plain.result?.count == 50)
        let mixed = exchange(algorithm, [size.rawValue: 50, info.rawValue: Data([1])])
        #expect(mixed.result?.count == 50 && mixed.result != plain.result)
        for parameters in [[:], [size.rawValue: "50"], [size.rawValue: -1], [size.rawValue: Int.max]]
            as [[CFString: Any]]
        {
            let call = exchange(algorithm, parameters)
            #expect(call.result == nil && call.status == errSecParam)
        }
        for wrong in [KeyPairs.p384.publicKey, KeyPairs.rsa.publicKey, other] {
            let call = KeyCalls.perform {
                let parameters = [:] as CFDictionary
                return SecKeyCopyKeyExchangeResult(
                    KeyPairs.p256.privateKey,
                    .ecdhKeyExchangeStandard,
                    wrong,
                    parameters,
                    $0
                )
            }
            #expect(call.result == nil && call.status == errSecParam)
        }
    }
}
