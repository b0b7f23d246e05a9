// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainSimulation
import Security
import Testing

/// Private keys of a keychain file that is locked: a reference is given, and the user is asked when the key is used.
@Suite(.timeLimit(.minutes(10)))
struct LockedKeyTests {
    private let device: VirtualDevice
    private let app: App

    init() throws {
        device = try VirtualDevice(.mac)
        app = device.install("com.example.app", team: "TEAMID1234")
    }

    struct Row: Sendable, CustomTestStringConvertible {
        var testDescription: String { file }
        var file: String
        var algorithm: SecKeyAlgorithm
    }

    static let rows: [Row] = [
        Row(file: "id.p12", algorithm: .ecdsaSignatureMessageX962SHA256),
        Row(file: "legacy.p12", algorithm: .rsaSignatureMessagePKCS1v15SHA256),
    ]

    /// Imports a file into the login keychain, and locks that.
    private func lockedKeychain(_ name: String) throws {
        let data = try ImportFiles.shared.get().data(name)
        var keychain: SecKeychain?
        #expect(SecKeychainCopyDefault(&keychain) == errSecSuccess)
        var parameters = SecItemImportExportKeyParameters()
        let passphrase = "secret" as NSString
        let status = withExtendedLifetime(passphrase) {
            parameters.passphrase = Unmanaged.passUnretained(passphrase)
            return SecItemImport(data as CFData, nil, nil, nil, [], &parameters, keychain, nil)
        }
        try #require(status == errSecSuccess)
        #expect(SecKeychainLock(keychain) == errSecSuccess)
    }

    private func copy(_ itemClass: CFString) -> (status: OSStatus, result: CFTypeRef?) {
        let query: [CFString: Any] = [
            kSecClass: itemClass, kSecReturnRef: true, kSecUseDataProtectionKeychain: false,
        ]
        var result: CFTypeRef?
        return (SecItemCopyMatching(query as CFDictionary, &result), result)
    }

    private func code(_ error: Unmanaged<CFError>?) -> Int? { (error?.takeRetainedValue() as? NSError)?.code }

    @Test("An identity of a locked keychain is found, and its key asks when it signs", arguments: rows)
    func identity(_ row: Row) throws {
        try app.run {
            try lockedKeychain(row.file)
            let identity = try #require(copy(kSecClassIdentity).result as? SecIdentity)
            var key: SecKey?
            #expect(SecIdentityCopyPrivateKey(identity, &key) == errSecSuccess)
            let privateKey = try #require(key)
            let publicKey = try #require(SecKeyCopyPublicKey(privateKey))
            #expect(SecKeyIsAlgorithmSupported(privateKey, .sign, row.algorithm))
            #expect(device.owner.questions.isEmpty, "nothing needed the password yet")
            let message = Data("message".utf8) as CFData
            // Nobody may be asked.
            #expect(SecKeychainSetUserInteractionAllowed(false) == errSecSuccess)
            var error: Unmanaged<CFError>?
            #expect(SecKeyCreateSignature(privateKey, row.algorithm, message, &error) == nil)
            #expect(code(error) == Int(errSecInteractionNotAllowed))
            error = nil
            #expect(SecKeyCopyExternalRepresentation(privateKey, &error) == nil)
            #expect(code(error) == Int(errSecInteractionNotAllowed))
            var exported: CFData?
            #expect(
                SecItemExport(privateKey, .formatOpenSSL, [], nil, &exported) == errSecInteractionNotAllowed
            )
            let flagged: [CFString: Any] = [kSecValueRef: privateKey, kSecUseDataProtectionKeychain: true]
            #expect(SecItemAdd(flagged as CFDictionary, nil) == errSecInteractionNotAllowed)
            #expect(SecKeychainSetUserInteractionAllowed(true) == errSecSuccess)
            // The owner cancels, and then knows the password.
            device.owner.nextAnswers = [.cancels]
            error = nil
            #expect(SecKeyCreateSignature(privateKey, row.algorithm, message, &error) == nil)
            #expect(code(error) == Int(errSecUserCanceled))
            let signature = try #require(SecKeyCreateSignature(privateKey, row.algorithm, message, nil))
            #expect(SecKeyVerifySignature(publicKey, row.algorithm, message, signature, nil))
            #expect(device.owner.questions.count == 2)
            #expect(SecKeyCopyExternalRepresentation(privateKey, nil) != nil)
            #expect(SecItemExport(privateKey, .formatOpenSSL, [], nil, &exported) == errSecSuccess)
            #expect(SecItemAdd(flagged as CFDictionary, nil) == errSecSuccess)
        }
    }

    @Test("A key with a certificate is found in the locked keychain, and by its reference, too")
    func key() throws {
        try app.run {
            try lockedKeychain("id.p12")
            let found = try #require(copy(kSecClassKey).result as? SecKey)
            let again: [CFString: Any] = [kSecValueRef: found, kSecReturnAttributes: true]
            var result: CFTypeRef?
            #expect(SecItemCopyMatching(again as CFDictionary, &result) == errSecSuccess)
            let keyClass = (result as? [CFString: Any])?[kSecAttrKeyClass]
            #expect(keyClass.map { "\($0)" } == kSecAttrKeyClassPrivate as String)
            #expect(SecKeyCopyAttributes(found) != nil)
            #expect(device.owner.questions.isEmpty)
        }
    }

    @Test("A key without a certificate asks when it is found, since nothing tells its public half")
    func keyAlone() throws {
        try app.run {
            try lockedKeychain("nocerts.p12")
            device.owner.nextAnswers = [.cancels]
            #expect(copy(kSecClassKey).status == errSecUserCanceled)
            #expect(copy(kSecClassKey).result is SecKey)
            #expect(device.owner.questions.count == 2)
        }
    }
}
