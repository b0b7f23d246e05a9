// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainAuthenticators
import KeychainCore
import KeychainEngine
import KeychainSimulation
import KeychainTestSupport
import Security
import Testing

/// Keys with `kSecAttrTokenIDSecureEnclave`, through the functions of Apple's API.
struct SecureEnclaveKeyTests {
    private let message = Data("message".utf8) as NSData
    private let ecdsa = SecKeyAlgorithm.ecdsaSignatureMessageX962SHA256

    @Test("a key signs, and its public half verifies", arguments: VirtualDevice.Storage.allCases)
    func signs(_ storage: VirtualDevice.Storage) throws {
        let app = try VirtualDevice(storage: storage).install()
        try app.run {
            let key = try made()
            let publicKey = try #require(SecKeyCopyPublicKey(key))
            for algorithm in [
                SecKeyAlgorithm.ecdsaSignatureMessageX962SHA256, .ecdsaSignatureMessageX962SHA512,
                .ecdsaSignatureMessageRFC4754SHA256, .ecdsaSignatureMessageX962SHA1,
            ] {
                #expect(SecKeyIsAlgorithmSupported(key, .sign, algorithm))
                let signature = try #require(SecKeyCreateSignature(key, algorithm, message, nil))
                #expect(SecKeyVerifySignature(publicKey, algorithm, message, signature, nil))
            }
            #expect(!SecKeyIsAlgorithmSupported(key, .sign, .rsaSignatureMessagePKCS1v15SHA256))
        }
    }

    @Test("a signature verifies with OpenSSL")
    func openssl() throws {
        let workshop = try Workshop()
        try VirtualDevice().install().run {
            let key = try made()
            let point = try #require(SecKeyCopyPublicKey(key).flatMap { SecKeyCopyExternalRepresentation($0, nil) })
            // SubjectPublicKeyInfo of a point on P-256 (RFC 5480).
            let prefix: [UInt8] = [
                0x30, 0x59, 0x30, 0x13, 0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01, 0x06, 0x08, 0x2A, 0x86,
                0x48,
                0xCE, 0x3D, 0x03, 0x01, 0x07, 0x03, 0x42, 0x00,
            ]
            try workshop.write(prefix + Array(point as Data), to: "key.der")
            try workshop.write(Array(message as Data), to: "message")
            let signature = try #require(SecKeyCreateSignature(key, ecdsa, message, nil))
            try workshop.write(Array(signature as Data), to: "signature")
        }
        let verify = "openssl dgst -sha256 -verify key.der -keyform DER -signature signature"
        try workshop.run("\(verify) message")
        #expect(throws: Workshop.Failure.self) { try workshop.run("echo other > other; \(verify) other") }
    }

    @Test("it takes part in ECDH and opens ECIES")
    func agrees() throws {
        try VirtualDevice().install().run {
            let key = try made()
            let publicKey = try #require(SecKeyCopyPublicKey(key))
            let other = try #require(SecKeyCreateRandomKey(["type": "73", "bsiz": 256] as NSDictionary, nil))
            let otherPublic = try #require(SecKeyCopyPublicKey(other))
            let none = [:] as NSDictionary
            let here = SecKeyCopyKeyExchangeResult(key, .ecdhKeyExchangeStandard, otherPublic, none, nil)
            let there = SecKeyCopyKeyExchangeResult(other, .ecdhKeyExchangeStandard, publicKey, none, nil)
            #expect(here != nil)
            #expect(here == there)
            let algorithm = SecKeyAlgorithm.eciesEncryptionCofactorVariableIVX963SHA256AESGCM
            let sealed = try #require(SecKeyCreateEncryptedData(publicKey, algorithm, message, nil))
            #expect(SecKeyCreateDecryptedData(key, algorithm, sealed, nil) == message)
            #expect(SecKeyIsAlgorithmSupported(key, .decrypt, algorithm))
        }
    }

    @Test("it says what it is, and does not leave the device")
    func attributes() throws {
        try VirtualDevice().install().run {
            let key = try made(["accc": access(.whenUnlockedThisDeviceOnly, [.privateKeyUsage])])
            let attributes = try #require(SecKeyCopyAttributes(key) as? [String: Any])
            #expect(attributes["tkid"] as? String == kSecAttrTokenIDSecureEnclave as String)
            #expect(attributes["extr"] as? Bool == false)
            #expect(attributes["sens"] as? Bool == true)
            #expect(attributes["bsiz"] as? Int == 256)
            #expect(attributes["kcls"] as? String == "1")
            #expect(attributes["accc"] as? SecAccessControl == access(.whenUnlockedThisDeviceOnly, [.privateKeyUsage]))
            var error: Unmanaged<CFError>?
            #expect(SecKeyCopyExternalRepresentation(key, &error) == nil)
            #expect(error?.takeRetainedValue().code == Int(errSecUnimplemented))
        }
    }

    @Test("only a key of 256 bits on a curve can be made, by the Secure Enclave and no other token")
    func parameters() throws {
        let app = try VirtualDevice().install()
        let enclave = "com.apple.setoken"
        let wrong: [NSDictionary] = [
            ["type": "42", "bsiz": 2048, "tkid": enclave], ["type": "73", "bsiz": 384, "tkid": enclave],
            ["type": "73", "tkid": enclave], ["bsiz": 256, "tkid": enclave],
            ["type": "73", "bsiz": 256, "private": ["tkid": enclave] as NSDictionary],
            ["type": "73", "bsiz": 256, "tkid": enclave, "private": ["pdmn": "nothing"] as NSDictionary],
        ]
        for parameters in wrong {
            #expect(app.failure(parameters) == errSecParam, "\(parameters)")
        }
        #expect(app.failure(["type": "73", "bsiz": 256, "tkid": "com.example.token"]) == errSecItemNotFound)
        let guarded = access(.whenUnlocked, [.userPresence])
        let without = try VirtualDevice(passcode: nil).install()
        #expect(without.failure(Self.parameters(["accc": guarded])) == errSecAuthFailed)
        #expect(without.failure(Self.parameters(["pdmn": "akpu"])) == errSecNotAvailable)
        try app.device.lock()
        #expect(app.failure(Self.parameters([:])) == errSecInteractionNotAllowed)
        #expect(app.count() == 0)
    }

    @Test(
        "a new key is stored unless it says otherwise, without its public half",
        arguments: VirtualDevice.Storage.allCases
    )
    func permanence(_ storage: VirtualDevice.Storage) throws {
        let app = try VirtualDevice(storage: storage).install()
        try app.run {
            _ = try made(["perm": false])
            #expect(app.count() == 0)
            let key = try made(["atag": Data("tag".utf8)])
            #expect(app.count() == 1)
            let found = try #require(find(["atag": Data("tag".utf8)]).key)
            #expect(found == key)
            let signature = try #require(SecKeyCreateSignature(found, ecdsa, message, nil))
            let publicKey = try #require(SecKeyCopyPublicKey(key))
            #expect(SecKeyVerifySignature(publicKey, ecdsa, message, signature, nil))
            // The same label finds it, as it would find a software key.
            let label = try #require((SecKeyCopyAttributes(key) as? [String: Any])?["klbl"])
            #expect(find(["klbl": label, "tkid": "com.apple.setoken"]).status == errSecSuccess)
            #expect(SecItemDelete(["class": "keys", "atag": Data("tag".utf8)] as NSDictionary) == errSecSuccess)
            #expect(find(["atag": Data("tag".utf8)]).status == errSecItemNotFound)
            // Whoever still has the key can use it: what is lost is the way to it.
            #expect(SecKeyCreateSignature(key, ecdsa, message, nil) != nil)
        }
    }

    @Test("a key that was not stored can be, by its reference")
    func addedLater() throws {
        let app = try VirtualDevice().install()
        try app.run {
            let guarded = access(.whenUnlockedThisDeviceOnly, [.privateKeyUsage, .applicationPassword])
            let key = try made(["perm": false, "accc": guarded])
            let add: NSDictionary = ["v_Ref": key, "labl": "later"]
            #expect(SecItemAdd(add, nil) == errSecSuccess)
            let asked = app.device.owner.authenticator.prompts.count
            let found = try #require(find(["labl": "later"]).key)
            #expect(app.device.owner.authenticator.prompts.count == asked)
            #expect(SecKeyCreateSignature(found, ecdsa, message, nil) != nil)
            #expect(app.device.owner.authenticator.prompts.count == asked + 1)
        }
    }

    @Test("the public half is stored when it says so, and is an ordinary key")
    func publicHalf() throws {
        let app = try VirtualDevice().install()
        try app.run {
            let key = try made(["perm": true], public: ["perm": true])
            #expect(app.count() == 2)
            let found = try #require(find(["kcls": "0"]).key)
            #expect(found == SecKeyCopyPublicKey(key))
            #expect((SecKeyCopyAttributes(found) as? [String: Any])?["tkid"] == nil)
        }
    }

    @Test("its row is found without anybody being asked; its use asks, in the context of the query")
    func authentication() throws {
        let app = try VirtualDevice().install()
        try app.run {
            let guarded = access(.whenUnlocked, [.privateKeyUsage, .userPresence])
            _ = try made(["accc": guarded, "labl": "guarded"])
            let alone = try #require(find(["labl": "guarded"]).key)
            let context = TestContext()
            let together = try #require(find(["labl": "guarded", "u_AuthCtx": context]).key)
            #expect(app.device.owner.authenticator.prompts.isEmpty)
            for _ in 0..<2 { #expect(sign(alone) == errSecSuccess) }
            #expect(app.device.owner.authenticator.prompts.count == 2)
            for _ in 0..<3 { #expect(sign(together) == errSecSuccess) }
            #expect(app.device.owner.authenticator.prompts.count == 3)
            app.device.owner.answer = .cancels
            #expect(sign(alone) == errSecUserCanceled)
            app.device.owner.answer = .fails
            #expect(sign(alone) == errSecAuthFailed)
            #expect(sign(together) == errSecSuccess)
            context.authenticationContext.configure { $0.interactionNotAllowed = true }
            #expect(sign(together) == errSecSuccess)
            context.authenticationContext.invalidate()
            #expect(sign(together) == errSecAuthFailed)
            try app.device.lock()
            #expect(sign(alone) == errSecInteractionNotAllowed)
            #expect(find(["labl": "guarded"]).status == errSecInteractionNotAllowed)
        }
    }

    @Test("a key whose constraints are not on its use is made, and no use of it is permitted, without a question")
    func otherConstraints() throws {
        let app = try VirtualDevice().install()
        try app.run {
            let flags: [SecAccessControlCreateFlags] = [
                .userPresence, .biometryAny, [.biometryAny, .or, .devicePasscode],
            ]
            for flags in flags {
                let key = try made(["accc": access(.whenUnlocked, flags)])
                let publicKey = try #require(SecKeyCopyPublicKey(key))
                let other = try #require(SecKeyCopyPublicKey(try made()))
                let ecies = SecKeyAlgorithm.eciesEncryptionStandardX963SHA256AESGCM
                let ciphertext = try #require(SecKeyCreateEncryptedData(publicKey, ecies, message, nil))
                let uses: [(String, (UnsafeMutablePointer<Unmanaged<CFError>?>) -> CFData?)] = [
                    ("osgn", { SecKeyCreateSignature(key, ecdsa, message, $0) }),
                    ("ock", { SecKeyCreateDecryptedData(key, ecies, ciphertext, $0) }),
                    (
                        "ock",
                        { SecKeyCopyKeyExchangeResult(key, .ecdhKeyExchangeStandard, other, [:] as NSDictionary, $0) }
                    ),
                ]
                for (name, use) in uses {
                    var error: Unmanaged<CFError>?
                    #expect(use(&error) == nil)
                    let object = try #require(error?.takeRetainedValue())
                    #expect(object.domain == "com.apple.LocalAuthentication")
                    #expect(object.code == -1009)
                    #expect(object.localizedDescription == "ACL operation is not allowed: '\(name)'")
                }
            }
            let usable: [SecAccessControlCreateFlags] = [[], .privateKeyUsage, [.privateKeyUsage, .userPresence]]
            for flags in usable { #expect(sign(try made(["accc": access(.whenUnlocked, flags)])) == errSecSuccess) }
            #expect(sign(try made()) == errSecSuccess)
        }
        #expect(app.device.owner.authenticator.prompts.count == 1)
    }

    @Test("why a key cannot be used is in the error, beside Apple's text of the status")
    func reason() throws {
        let app = try VirtualDevice().install()
        try app.run {
            let key = try made(["accc": access(.whenUnlocked, .privateKeyUsage)])
            try app.device.lock()
            var error: Unmanaged<CFError>?
            #expect(SecKeyCreateSignature(key, ecdsa, message, &error) == nil)
            let object = try #require(error?.takeRetainedValue())
            #expect(object.code == Int(errSecInteractionNotAllowed))
            #expect(
                object.localizedDescription == SecCopyErrorMessageString(errSecInteractionNotAllowed, nil) as String?
            )
            #expect(object.localizedFailureReason?.contains("keys of the protection class") == true)
        }
    }

    @Test("a sealed form makes a key again on its device, and none on another")
    func sealedForm() throws {
        let app = try VirtualDevice().install()
        let made = try app.device.keychain.enclave.makeKey(
            .p256,
            accessControl: AccessControl(synthesizedFor: .whenUnlocked),
            context: nil
        )
        let sealed = made.sealed.withUnsafeBytes { Data($0) } as NSData
        let attributes: NSDictionary = ["type": "73", "kcls": "1", "tkid": "com.apple.setoken"]
        try app.run {
            let key = try #require(SecKeyCreateWithData(sealed, attributes, nil))
            #expect(sign(key) == errSecSuccess)
        }
        try VirtualDevice().install().run {
            var error: Unmanaged<CFError>?
            #expect(SecKeyCreateWithData(sealed, attributes, &error) == nil)
            #expect(error?.takeRetainedValue().code == Int(errSecParam))
            // A row of another device can be there, and no key can be made of it.
            let add: NSDictionary = [
                "class": "keys", "kcls": "1", "tkid": "com.apple.setoken", "v_Data": sealed, "labl": "foreign",
            ]
            #expect(SecItemAdd(add, nil) == errSecSuccess)
            #expect(find(["labl": "foreign"]).key == nil)
        }
    }

    @Test("neither the sealed form nor the key is given out as data")
    func data() throws {
        try VirtualDevice().install().run {
            _ = try made(["labl": "mine"])
            var result: CFTypeRef?
            let query: NSDictionary = ["class": "keys", "labl": "mine", "r_Data": true, "r_Attributes": true]
            #expect(SecItemCopyMatching(query, &result) == errSecSuccess)
            let found = try #require(result as? [String: Any])
            #expect(found["v_Data"] == nil)
            #expect(found["tkid"] as? String == "com.apple.setoken")
        }
    }

    // MARK: - Calls

    private static func parameters(_ private: [String: Any], public: [String: Any] = [:]) -> NSDictionary {
        let halves: [String: Any] = [
            "private": NSDictionary(dictionary: `private`), "public": NSDictionary(dictionary: `public`),
        ]
        return NSDictionary(
            dictionary: halves.merging(["type": "73", "bsiz": 256, "tkid": "com.apple.setoken"]) { $1 }
        )
    }

    private func made(_ private: [String: Any] = [:], public: [String: Any] = [:]) throws -> SecKey {
        var error: Unmanaged<CFError>?
        let key = SecKeyCreateRandomKey(Self.parameters(`private`, public: `public`), &error)
        return try #require(key, "\(String(describing: error?.takeRetainedValue()))")
    }

    private func find(_ query: [String: Any]) -> (status: OSStatus, key: SecKey?) {
        var result: CFTypeRef?
        let query = query.merging(["class": "keys", "r_Ref": true]) { $1 }
        let status = SecItemCopyMatching(NSDictionary(dictionary: query), &result)
        return (status, result as? SecKey)
    }

    private func sign(_ key: SecKey) -> OSStatus {
        var error: Unmanaged<CFError>?
        if SecKeyCreateSignature(key, ecdsa, message, &error) != nil { return errSecSuccess }
        return OSStatus(error?.takeRetainedValue().code ?? 0)
    }

    private func access(_ level: Accessibility, _ flags: SecAccessControlCreateFlags) -> SecAccessControl {
        guard let access = SecAccessControlCreateWithFlags(nil, NSString(string: level.rawValue), flags, nil) else {
            preconditionFailure("the flags contradict each other")
        }
        return access
    }
}

/// What an `LAContext` is to a query.
private final class TestContext: AuthenticationContextHolder {
    let authenticationContext = ClientContext()
}

extension App {
    /// What making a key with parameters fails with; 0 for success.
    fileprivate func failure(_ parameters: NSDictionary) -> OSStatus {
        run {
            var error: Unmanaged<CFError>?
            if SecKeyCreateRandomKey(parameters, &error) != nil { return errSecSuccess }
            return OSStatus(error?.takeRetainedValue().code ?? 0)
        }
    }

    /// How many keys are stored.
    fileprivate func count() -> Int {
        run {
            var result: CFTypeRef?
            let query: NSDictionary = ["class": "keys", "m_Limit": "m_LimitAll", "r_PersistentRef": true]
            return SecItemCopyMatching(query, &result) == errSecSuccess ? (result as? NSArray)?.count ?? -1 : 0
        }
    }
}
