// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainSimulation
import Security
import Testing

/// Imports of PKCS #12 files with the front end of macOS (Semantics, "Importing PKCS 12 files").
@Suite(.timeLimit(.minutes(10)))
struct MacImportTests {
    private let app: App

    init() throws { app = try VirtualDevice(.mac).install("com.example.app", team: "TEAMID1234") }

    private func load(_ options: [CFString: Any] = [:]) throws -> (status: OSStatus, items: [[String: Any]]?) {
        var items: CFArray?
        let data = try ImportFiles.shared.get().data("id.p12") as CFData
        let options = options.merging([kSecImportExportPassphrase: "secret"]) { $1 }
        let status = SecPKCS12Import(data, options as CFDictionary, &items)
        return (status, items as? [[String: Any]])
    }

    private func makeKeychain() throws -> SecKeychain {
        var keychain: SecKeychain?
        try #require(SecKeychainCreate("build.keychain", 2, "pw", false, nil, &keychain) == errSecSuccess)
        return try #require(keychain)
    }

    /// How many objects of each class there are.
    private static func kinds(_ objects: [AnyObject]?) -> [String: Int] {
        (objects ?? []).reduce(into: [:]) { $0["\(type(of: $1))", default: 0] += 1 }
    }

    /// How many identities a search of keychain files finds.
    private func identities(_ others: [CFString: Any] = [:]) -> Int {
        var result: CFTypeRef?
        let query: [CFString: Any] = [
            kSecClass: kSecClassIdentity, kSecMatchLimit: 10, kSecReturnRef: true,
            kSecUseDataProtectionKeychain: false,
        ]
        let status = SecItemCopyMatching(query.merging(others) { $1 } as CFDictionary, &result)
        return status == errSecSuccess ? (result as? [Any])?.count ?? 0 : 0
    }

    @Test("The identity and its chain go to the default keychain file, and are there already the second time")
    func defaultKeychain() throws {
        try app.run {
            let first = try load().status
            #expect(first == errSecSuccess)
            #expect(identities() == 1)
            let second = try load().status
            #expect(second == errSecSuccess)
            #expect(identities() == 1)
            var result: CFTypeRef?
            let certificates: [CFString: Any] = [
                kSecClass: kSecClassCertificate, kSecMatchLimit: 10, kSecUseDataProtectionKeychain: false,
            ]
            #expect(SecItemCopyMatching(certificates as CFDictionary, &result) == errSecSuccess)
            #expect((result as? [Any])?.count == 3)
            let keys: [CFString: Any] = [
                kSecClass: kSecClassKey, kSecAttrLabel: "Leaf", kSecUseDataProtectionKeychain: false,
            ]
            #expect(SecItemCopyMatching(keys as CFDictionary, nil) == errSecSuccess)
        }
    }

    @Test("A keychain that is named gets them, under the access that is given")
    func namedKeychain() throws {
        try app.run {
            let keychain = try makeKeychain()
            var access: SecAccess?
            #expect(SecAccessCreate("for the import" as CFString, nil, &access) == errSecSuccess)
            let given = try #require(access)
            let status = try load([kSecImportExportKeychain: keychain, kSecImportExportAccess: given]).status
            #expect(status == errSecSuccess)
            #expect(identities() == 0)
            #expect(identities([kSecMatchSearchList: [keychain]]) == 1)
            var result: CFTypeRef?
            let key: [CFString: Any] = [
                kSecClass: kSecClassKey, kSecAttrKeyClass: kSecAttrKeyClassPrivate, kSecMatchSearchList: [keychain],
                kSecReturnRef: true,
            ]
            #expect(SecItemCopyMatching(key as CFDictionary, &result) == errSecSuccess)
            #expect(result != nil)
        }
    }

    @Test("What is for memory or for the data protection keychain goes to no file")
    func otherPlaces() throws {
        try app.run {
            let inMemory = try load([kSecImportToMemoryOnly: true]).status
            #expect(inMemory == errSecSuccess)
            #expect(identities() == 0)
            #expect(identities([kSecUseDataProtectionKeychain: true]) == 0)
            let inOther = try load([kSecUseDataProtectionKeychain: true]).status
            #expect(inOther == errSecSuccess)
            #expect(identities() == 0)
            #expect(identities([kSecUseDataProtectionKeychain: true]) == 1)
        }
    }

    @Test("The label is the summary of the subject, and the identifier of the key the hash of the public key")
    func names() throws {
        try app.run {
            let item = try #require(try load().items?.first)
            let identity = try #require(item[kSecImportItemIdentity as String] as? SecIdentity)
            var certificate: SecCertificate?
            #expect(SecIdentityCopyCertificate(identity, &certificate) == errSecSuccess)
            let leaf = try #require(certificate)
            #expect(item[kSecImportItemLabel as String] as? String == SecCertificateCopySubjectSummary(leaf) as String?)
            var result: CFTypeRef?
            let query: [CFString: Any] = [
                kSecClass: kSecClassCertificate, kSecValueRef: leaf, kSecReturnAttributes: true,
                kSecUseDataProtectionKeychain: false,
            ]
            #expect(SecItemCopyMatching(query as CFDictionary, &result) == errSecSuccess)
            let attributes = try #require(result as? [CFString: Any])
            let hash = try #require(attributes[kSecAttrPublicKeyHash] as? Data)
            #expect(item[kSecImportItemKeyID as String] as? Data == hash)
        }
    }

    @Test("Without a default keychain nothing is stored, and that is told")
    func noDefaultKeychain() throws {
        try app.run {
            var login: SecKeychain?
            #expect(SecKeychainCopyDefault(&login) == errSecSuccess)
            #expect(SecKeychainDelete(login) == errSecSuccess)
            let (status, items) = try load()
            #expect(status == errSecNoDefaultKeychain)
            #expect(items?.count == 1)
        }
    }

    @Test("An option of a wrong type is refused")
    func wrongTypes() throws {
        try app.run {
            let wrongKeychain = try load([kSecImportExportKeychain: "build.keychain"]).status
            #expect(wrongKeychain == errSecParam)
            let wrongAccess = try load([kSecImportExportAccess: true]).status
            #expect(wrongAccess == errSecParam)
        }
    }

    @Test("Without a keychain an import of items gives certificates and keys, with one it stores an identity")
    func itemImport() throws {
        try app.run {
            let loose = try ItemImportTests.load("id.p12", passphrase: "secret")
            #expect(loose.status == errSecSuccess)
            let kinds = Self.kinds(loose.items)
            #expect(kinds == ["SecCertificate": 3, "SecKey": 1])
            #expect(identities() == 0)
            let keychain = try makeKeychain()
            let stored = try ItemImportTests.load("id.p12", passphrase: "secret", to: keychain)
            #expect(stored.status == errSecSuccess)
            let storedKinds = Self.kinds(stored.items)
            #expect(storedKinds == ["SecCertificate": 2, "SecIdentity": 1])
            #expect(identities([kSecMatchSearchList: [keychain]]) == 1)
        }
    }

    @Test("Without a default keychain and a search list a copy from files alone says so, one from both finds nothing")
    func noKeychainToSearch() {
        app.run {
            var login: SecKeychain?
            #expect(SecKeychainCopyDefault(&login) == errSecSuccess)
            #expect(SecKeychainDelete(login) == errSecSuccess)
            let query: [CFString: Any] = [kSecClass: kSecClassGenericPassword, kSecAttrService: "service"]
            let declined = query.merging([kSecUseDataProtectionKeychain: false]) { $1 }
            #expect(SecItemCopyMatching(query as CFDictionary, nil) == errSecItemNotFound)
            #expect(SecItemCopyMatching(declined as CFDictionary, nil) == errSecNoDefaultKeychain)
            let listed = query.merging([kSecMatchSearchList: [] as NSArray]) { $1 }
            #expect(SecItemCopyMatching(listed as CFDictionary, nil) == errSecItemNotFound)
            #expect(SecItemDelete(declined as CFDictionary) == errSecItemNotFound)
        }
    }
}
