// SPDX-License-Identifier: Apache-2.0

import Foundation
import Security
import Testing

/// Making and reading keys.
struct KeyCreationTests {
    @Test(
        "keys of all sizes, which are strings or numbers",
        arguments: [("73", 256, 97, 65), ("73", 384, 145, 97), ("73", 521, 199, 133)]
    )
    func curves(type: String, size: Int, privateCount: Int, publicCount: Int) throws {
        let forms: [[CFString: Any]] = [
            [kSecAttrKeyType: type, kSecAttrKeySizeInBits: size],
            [kSecAttrKeyType: type, kSecAttrKeySizeInBits: "\(size)"],
            [kSecAttrKeyType: type, kSecAttrKeySizeInBits: Double(size), kSecAttrIsPermanent: false],
        ]
        for parameters in forms {
            let key = try #require(KeyCalls.make(parameters).result)
            let publicKey = try #require(SecKeyCopyPublicKey(key))
            #expect(KeyCalls.export(key)?.count == privateCount)
            #expect(KeyCalls.export(publicKey)?.count == publicCount)
            #expect(SecKeyGetBlockSize(key) == (size + 7) / 8 && SecKeyGetBlockSize(publicKey) == (size + 7) / 8)
        }
    }

    @Test("a pair of RSA")
    func rsa() throws {
        var keys: (publicKey: SecKey?, privateKey: SecKey?)
        let parameters: [CFString: Any] = [kSecAttrKeyType: kSecAttrKeyTypeRSA, kSecAttrKeySizeInBits: 1024]
        #expect(SecKeyGeneratePair(parameters as CFDictionary, &keys.publicKey, &keys.privateKey) == errSecSuccess)
        let privateKey = try #require(keys.privateKey)
        #expect(SecKeyCopyPublicKey(privateKey) == keys.publicKey)
        #expect(SecKeyGetBlockSize(privateKey) == 128)
        #expect(SecKeyGeneratePair(parameters as CFDictionary, nil, nil) == errSecSuccess)
    }

    @Test(
        "parameters that make no key",
        arguments: [
            [:], ["type": "73"], ["bsiz": "256"], ["type": "42"], ["type": "73", "bsiz": "1000000"],
            ["type": "73", "bsiz": "x"], ["type": "73", "bsiz": "0"], ["type": "99", "bsiz": "256"],
            ["type": "42", "bsiz": "511"], ["type": "42", "bsiz": "-1"],
        ] as [[String: String]]
    )
    func refused(_ parameters: [String: String]) {
        let call = KeyCalls.perform { SecKeyCreateRandomKey(parameters as CFDictionary, $0) }
        #expect(call.result == nil && call.status == errSecParam)
        var keys: (publicKey: SecKey?, privateKey: SecKey?)
        #expect(SecKeyGeneratePair(parameters as CFDictionary, &keys.publicKey, &keys.privateKey) == errSecParam)
        #expect(keys.publicKey == nil && keys.privateKey == nil)
        #expect(SecKeyCreateRandomKey(parameters as CFDictionary, nil) == nil)
    }

    @Test("what is exported is read again, and is the same key")
    func reading() throws {
        for pair in [KeyPairs.p256, KeyPairs.p384, KeyPairs.rsa] {
            let type = pair.privateKey == KeyPairs.rsa.privateKey ? kSecAttrKeyTypeRSA : kSecAttrKeyTypeEC
            for (key, keyClass) in [
                (pair.privateKey, kSecAttrKeyClassPrivate), (pair.publicKey, kSecAttrKeyClassPublic),
            ] {
                let data = try #require(KeyCalls.export(key))
                let again = try #require(
                    KeyCalls.read(data, [kSecAttrKeyType: type, kSecAttrKeyClass: keyClass]).result
                )
                #expect(again == key && again !== key && again.hashValue == key.hashValue)
                #expect(CFEqual(again, key) && CFHash(again) == CFHash(key))
                #expect(CFGetTypeID(again) == SecKeyGetTypeID())
                let numbers: [CFString: Any] = [
                    kSecAttrKeyType: Int((type as String)) as Any, kSecAttrKeyClass: Int(keyClass as String) as Any,
                ]
                #expect(KeyCalls.read(data, numbers).result == key)
            }
            #expect(pair.privateKey != pair.publicKey && !CFEqual(pair.privateKey, pair.publicKey))
            #expect(SecKeyCopyPublicKey(pair.publicKey) === pair.publicKey)
        }
        #expect(KeyPairs.p256.publicKey != KeyPairs.p384.publicKey)
    }

    @Test("data, types and classes that make no key")
    func unreadable() throws {
        let data = try #require(KeyCalls.export(KeyPairs.p256.privateKey))
        let good: [CFString: Any] = [kSecAttrKeyType: kSecAttrKeyTypeEC, kSecAttrKeyClass: kSecAttrKeyClassPrivate]
        let changes: [(Data, [CFString: Any], OSStatus)] = [
            (data.dropLast(), [:], errSecParam), (data + [0], [:], errSecParam), (Data(), [:], errSecParam),
            (Data("garbage".utf8), [:], errSecParam), (data, [kSecAttrKeyClass: kSecAttrKeyClassPublic], errSecParam),
            (data, [kSecAttrKeyClass: kSecAttrKeyClassSymmetric], errSecUnimplemented),
            (data, [kSecAttrKeyClass: 2], errSecUnimplemented), (data, [kSecAttrKeyClass: "7"], errSecParam),
            (data, [kSecAttrKeyType: kSecAttrKeyTypeRSA], errSecParam), (data, [kSecAttrKeyType: "1"], errSecParam),
            (data, [kSecAttrKeyClass: NSNull()], errSecParam), (data, [kSecAttrKeyType: NSNull()], errSecParam),
            (data, [kSecAttrTokenID: "com.example.token"], errSecSuccess),
        ]
        for (data, change, status) in changes where status != errSecSuccess {
            let call = KeyCalls.read(data, good.merging(change) { $1 })
            #expect(call.result == nil && call.status == status)
        }
        #expect(SecKeyCreateWithData(Data() as CFData, good as CFDictionary, nil) == nil)
    }

    @Test("attributes come as Apple gives them")
    func attributes() throws {
        let key = KeyPairs.p256.privateKey
        let attributes = try #require(SecKeyCopyAttributes(key) as? [String: Any])
        #expect(attributes[kSecAttrKeyType as String] as? String == "73")
        #expect(attributes[kSecAttrKeyClass as String] as? String == "1")
        #expect(attributes[kSecAttrKeySizeInBits as String] as? Int == 256)
        #expect(attributes[kSecAttrEffectiveKeySize as String] as? Int == 256)
        #expect((attributes[kSecAttrApplicationLabel as String] as? Data)?.count == 20)
        #expect(attributes[kSecAttrCanSign as String] as? Bool == true)
        #expect(attributes[kSecAttrCanVerify as String] as? Bool == false)
        #expect(attributes[kSecValueData as String] as? Data == KeyCalls.export(key))
        let publicAttributes = try #require(SecKeyCopyAttributes(KeyPairs.p256.publicKey) as? [String: Any])
        #expect(publicAttributes[kSecAttrKeyClass as String] as? String == "0")
        let labels = [attributes, publicAttributes].map { $0[kSecAttrApplicationLabel as String] as? Data }
        #expect(labels[0] == labels[1])
    }
}
