// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainSimulation
import Security
import Testing

/// Rules of searches in keychain files that differ from those of the data protection keychain (Semantics, "Parameters
/// of the file-based keychain").
@Suite(.timeLimit(.minutes(10)))
struct FileSearchRuleTests {
    private let device: VirtualDevice
    private let app: App

    init() throws {
        device = try VirtualDevice(.mac)
        app = device.install("com.example.app", team: "TEAMID1234")
    }

    private func add(_ entries: [CFString: Any]) -> OSStatus { app.run { SecItemAdd(entries as CFDictionary, nil) } }

    private func copy(_ entries: [CFString: Any]) -> (status: OSStatus, result: CFTypeRef?) {
        let query = entries.merging([kSecUseDataProtectionKeychain: false]) { given, _ in given }
        return app.run {
            var result: CFTypeRef?
            return (SecItemCopyMatching(query as CFDictionary, &result), result)
        }
    }

    private func addCertificate(_ name: String) throws {
        #expect(add([kSecValueRef: try TrustCertificates.certificate(name)]) == errSecSuccess)
    }

    private func importIdentity() throws {
        let data = try ImportFiles.shared.get().data("id.p12")
        let status: OSStatus = app.run {
            var keychain: SecKeychain?
            #expect(SecKeychainCopyDefault(&keychain) == errSecSuccess)
            var parameters = SecItemImportExportKeyParameters()
            let passphrase = "secret" as NSString
            return withExtendedLifetime(passphrase) {
                parameters.passphrase = Unmanaged.passUnretained(passphrase)
                return SecItemImport(data as CFData, nil, nil, nil, [], &parameters, keychain, nil)
            }
        }
        try #require(status == errSecSuccess)
    }

    struct Subject: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var starts: String?
        var ends: String?
        var whole: String?
        var contains: String?
        var ignoresCase = false
        var isFound: Bool

        var query: [CFString: Any] {
            var query: [CFString: Any] = [kSecClass: kSecClassCertificate]
            query[kSecMatchSubjectStartsWith] = starts
            query[kSecMatchSubjectEndsWith] = ends
            query[kSecMatchSubjectWholeString] = whole
            query[kSecMatchSubjectContains] = contains
            if ignoresCase { query[kSecMatchCaseInsensitive] = true }
            return query
        }
    }

    static let subjects: [Subject] = [
        Subject(testDescription: "starts at the first character", starts: "other", isFound: true),
        Subject(testDescription: "starts at the second one, too", starts: "ther", isFound: true),
        Subject(testDescription: "starts no later", starts: "her", isFound: false),
        Subject(testDescription: "ends", ends: "root", isFound: true),
        Subject(testDescription: "ends not before the end", ends: "roo", isFound: false),
        Subject(testDescription: "the whole name", whole: "other root", isFound: true),
        Subject(testDescription: "a part is not the whole", whole: "other", isFound: false),
        Subject(testDescription: "a part", contains: "er ro", isFound: true),
        Subject(testDescription: "in another case", contains: "ER RO", isFound: false),
        Subject(
            testDescription: "in another case, which does not matter",
            contains: "ER RO",
            ignoresCase: true,
            isFound: true
        ),
        Subject(testDescription: "the start anchors the part", starts: "other", contains: "root", isFound: false),
        Subject(testDescription: "the end anchors the part", ends: "root", contains: "other", isFound: false),
    ]

    @Test("Conditions on the subject compare the common name, and anchors hold for all of them", arguments: subjects)
    func subject(_ row: Subject) throws {
        try addCertificate("other root")
        #expect(copy(row.query).status == (row.isFound ? errSecSuccess : errSecItemNotFound))
    }

    @Test("What is empty, 0 or absent is the same in a search, and a value is another one")
    func blanks() {
        let item: [CFString: Any] = [kSecClass: kSecClassInternetPassword, kSecAttrServer: "example.org"]
        #expect(add(item.merging([kSecAttrComment: ""]) { $1 }) == errSecSuccess)
        let conditions: [([CFString: Any], Bool)] = [
            ([kSecAttrPort: 0], true), ([kSecAttrPort: 443], false), ([kSecAttrComment: ""], true),
            ([kSecAttrDescription: ""], true), ([kSecAttrDescription: "d"], false), ([kSecAttrPath: ""], true),
        ]
        for (condition, isFound) in conditions {
            let status = copy(item.merging(condition) { $1 }).status
            #expect(status == (isFound ? errSecSuccess : errSecItemNotFound), "\(condition)")
        }
    }

    @Test("A service of the prefix ProtectedCloudStorage is that of the default keychain")
    func cloudStorage() throws {
        let other: SecKeychain = try app.run {
            var keychain: SecKeychain?
            #expect(SecKeychainCreate("other.keychain", 2, "pw", false, nil, &keychain) == errSecSuccess)
            return try #require(keychain)
        }
        for (service, isFound) in [("ProtectedCloudStorage-x", true), ("ProtectedCloud", false)] {
            let item: [CFString: Any] = [kSecClass: kSecClassGenericPassword, kSecAttrService: service]
            #expect(add(item.merging([kSecUseKeychain: other]) { $1 }) == errSecSuccess)
            let nowhere: [CFString: Any] = [kSecMatchSearchList: [] as NSArray]
            let status = copy(item.merging(nowhere) { $1 }).status
            #expect(status == (isFound ? errSecSuccess : errSecItemNotFound), "\(service)")
        }
    }

    @Test("A duplicate hides no other failure of an add, and an item list ends where nothing is")
    func itemLists() throws {
        try addCertificate("root")
        let certificate = try TrustCertificates.certificate("root")
        let password: [CFString: Any] = [kSecClass: kSecClassGenericPassword, kSecAttrService: "s"]
        #expect(add(password) == errSecSuccess)
        let gone = try #require(copy(password).result as? SecKeychainItem)
        #expect(app.run { SecKeychainItemDelete(gone) } == errSecSuccess)
        #expect(add([kSecUseItemList: [certificate]]) == errSecDuplicateItem)
        #expect(add([kSecUseItemList: [gone, certificate]]) == errSecInvalidItemRef)
        #expect(add([kSecUseItemList: [certificate, gone]]) == errSecInvalidItemRef)
        #expect(copy([kSecUseItemList: [gone, certificate]]).status == errSecInvalidItemRef)
        let two = copy([kSecUseItemList: [certificate, gone], kSecMatchLimit: 2, kSecReturnRef: true]).result
        #expect(two as? [SecCertificate] == [certificate])
    }

    @Test("A value of a wrong type counts as empty, and only the Boolean true asks for a result")
    func wrongTypes() {
        let password: [CFString: Any] = [
            kSecClass: kSecClassGenericPassword, kSecAttrService: "s", kSecValueData: Data("x".utf8),
        ]
        #expect(add(password) == errSecSuccess)
        let query: [CFString: Any] = [kSecClass: kSecClassGenericPassword, kSecAttrService: "s"]
        #expect(copy(query.merging([kSecAttrComment: 5]) { $1 }).status == errSecSuccess)
        let comment: [CFString: Any] = [kSecAttrComment: "c"]
        #expect(app.run { SecItemUpdate(query as CFDictionary, comment as CFDictionary) } == errSecSuccess)
        #expect(copy(query.merging([kSecAttrComment: 5]) { $1 }).status == errSecItemNotFound)
        #expect(copy(query.merging([kSecReturnData: 1]) { $1 }).result is SecKeychainItem)
        #expect(copy(query.merging([kSecReturnData: true]) { $1 }).result as? Data == Data("x".utf8))
    }

    @Test("Issuer with serial number, and an e-mail address, are searches of their own")
    func ownSearches() throws {
        try addCertificate("mail")
        let certificate: [CFString: Any] = [kSecClass: kSecClassCertificate]
        let found = copy(certificate.merging([kSecReturnAttributes: true]) { $1 }).result as? [CFString: Any]
        let attributes = try #require(found)
        let wrongLabel: [CFString: Any] = [kSecAttrLabel: "another"]
        let query = certificate.merging(wrongLabel) { $1 }
        #expect(copy(query).status == errSecItemNotFound)
        let both: [CFString: Any] = [
            kSecAttrIssuer: attributes[kSecAttrIssuer] as Any,
            kSecAttrSerialNumber: attributes[kSecAttrSerialNumber] as Any,
        ]
        #expect(copy(query.merging(both) { $1 }).status == errSecSuccess)
        let issuer: [CFString: Any] = [kSecAttrIssuer: attributes[kSecAttrIssuer] as Any]
        #expect(copy(query.merging(issuer) { $1 }).status == errSecItemNotFound)
        let address: [CFString: Any] = [kSecMatchEmailAddressIfPresent: "a@example.com"]
        #expect(copy(query.merging(address) { $1 }).status == errSecSuccess)
    }

    @Test("Of an identity the uses of its key count, its references are the certificate's, and all three parts go")
    func identities() throws {
        try importIdentity()
        let query: [CFString: Any] = [kSecClass: kSecClassIdentity]
        #expect(copy(query.merging([kSecAttrCanSign: true]) { $1 }).status == errSecSuccess)
        #expect(copy(query.merging([kSecAttrCanVerify: true]) { $1 }).status == errSecItemNotFound)
        let identity = try #require(copy(query).result as? SecIdentity)
        let persistent = copy(query.merging([kSecReturnPersistentRef: true]) { $1 }).result as? Data
        #expect(persistent?.dropFirst(4).prefix(4) == Data("cert".utf8))
        let named: [CFString: Any] = [kSecValueRef: identity, kSecReturnPersistentRef: true]
        #expect((copy(named).result as? Data)?.dropFirst(4).prefix(4) == Data("idnt".utf8))
        var key: SecKey?
        #expect(SecIdentityCopyPrivateKey(identity, &key) == errSecSuccess)
        let publicKey = try #require(key.flatMap { SecKeyCopyPublicKey($0) })
        #expect(add([kSecValueRef: publicKey, kSecUseDataProtectionKeychain: false]) == errSecSuccess)
        // Public keys come before private ones, whichever was added first.
        let keys: [CFString: Any] = [
            kSecClass: kSecClassKey, kSecMatchLimit: kSecMatchLimitAll, kSecReturnAttributes: true,
        ]
        let classes = (copy(keys).result as? [[CFString: Any]])?.map { "\($0[kSecAttrKeyClass] ?? "")" }
        #expect(classes == [kSecAttrKeyClassPublic as String, kSecAttrKeyClassPrivate as String])
        let deletion = query.merging([kSecUseDataProtectionKeychain: false]) { $1 }
        #expect(app.run { SecItemDelete(deletion as CFDictionary) } == errSecSuccess)
        #expect(copy(keys).status == errSecItemNotFound)
    }
}
