// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainSimulation
import KeychainTestSupport
import Security
import Testing

/// The item functions on a virtual Mac, whose peculiarities programs for macOS have to live with; each is named, by the
/// number of Apple's bug where one is known.
@Suite(.timeLimit(.minutes(10)))
struct MacFrontEndTests {
    private let device: VirtualDevice
    private let app: App

    init() throws {
        device = try VirtualDevice(.mac)
        app = device.install("com.example.app", team: "TEAMID1234")
    }

    private static var password: [CFString: Any] {
        [kSecClass: kSecClassGenericPassword, kSecAttrService: "service", kSecAttrAccount: "account"]
    }

    /// A keychain file beside the login keychain, which is in no search list.
    private func otherKeychain() throws -> SecKeychain {
        try app.run {
            var keychain: SecKeychain?
            #expect(SecKeychainCreate("other.keychain", 2, "pw", false, nil, &keychain) == errSecSuccess)
            return try #require(keychain)
        }
    }

    private func add(_ entries: [CFString: Any]) -> OSStatus { app.run { SecItemAdd(entries as CFDictionary, nil) } }

    private func copy(_ entries: [CFString: Any]) -> (status: OSStatus, result: CFTypeRef?) {
        app.run {
            var result: CFTypeRef?
            return (SecItemCopyMatching(entries as CFDictionary, &result), result)
        }
    }

    private func update(_ query: [CFString: Any], _ changes: [CFString: Any]) -> OSStatus {
        app.run { SecItemUpdate(query as CFDictionary, changes as CFDictionary) }
    }

    private func delete(_ query: [CFString: Any]) -> OSStatus { app.run { SecItemDelete(query as CFDictionary) } }

    private func adding(_ others: [CFString: Any], to entries: [CFString: Any] = password) -> [CFString: Any] {
        entries.merging(others) { $1 }
    }

    private func secret(_ text: String) -> [CFString: Any] { [kSecValueData: Data(text.utf8)] }

    @Test("An add without the flag stores in the file, one with it in the data protection keychain")
    func twoKeychains() {
        let flag: [CFString: Any] = [kSecUseDataProtectionKeychain: true]
        #expect(add(adding(secret("file"))) == errSecSuccess)
        #expect(copy(adding(flag)).status == errSecItemNotFound)
        #expect(add(adding(flag, to: adding(secret("protected")))) == errSecSuccess)
        #expect(copy(adding([kSecReturnData: true])).result as? Data == Data("protected".utf8))
        let declined: [CFString: Any] = [kSecUseDataProtectionKeychain: false, kSecReturnData: true]
        #expect(copy(adding(declined)).result as? Data == Data("file".utf8))
        let all: [CFString: Any] = [kSecMatchLimit: 10, kSecReturnData: true]
        #expect(copy(adding(all)).result as? [Data] == [Data("protected".utf8), Data("file".utf8)])
    }

    @Test("Unsupported attributes are passed over: a query by another class's tag finds the first certificate")
    func unsupportedAttributes() {
        #expect(add(adding(secret("x"))) == errSecSuccess)
        let query: [CFString: Any] = [kSecAttrApplicationTag: Data("tag".utf8), kSecReturnData: true]
        #expect(copy(adding(query)).result as? Data == Data("x".utf8))
        let flagged: [CFString: Any] = [kSecUseDataProtectionKeychain: true]
        #expect(copy(adding(flagged, to: adding(query))).status == errSecNoSuchAttr)
    }

    @Test("r. 105800863: a delete removes one item, and an update changes one")
    func oneForEverything() {
        for account in ["a", "b", "c"] {
            #expect(add(adding([kSecAttrAccount: account], to: adding(secret("x")))) == errSecSuccess)
        }
        let query: [CFString: Any] = [kSecClass: kSecClassGenericPassword, kSecAttrService: "service"]
        let all: [CFString: Any] = [kSecMatchLimit: kSecMatchLimitAll, kSecReturnAttributes: true]
        #expect(update(query, [kSecAttrComment: "new"]) == errSecSuccess)
        let found = copy(adding(all, to: query)).result as? [[CFString: Any]]
        #expect(found?.count == 3)
        #expect(found?.filter { $0[kSecAttrComment] as? String == "new" }.count == 1)
        #expect(delete(query) == errSecSuccess)
        #expect((copy(adding(all, to: query)).result as? [Any])?.count == 2)
        #expect(delete(adding([kSecMatchLimit: kSecMatchLimitAll], to: query)) == errSecSuccess)
        #expect(copy(adding(all, to: query)).status == errSecItemNotFound)
    }

    @Test("r. 21111543: an add by reference returns an array, also of a single object")
    func arrayOfOne() throws {
        let data = try ImportFiles.shared.get().data("leaf.der")
        let certificate = try #require(SecCertificateCreateWithData(nil, data as CFData))
        let result: CFTypeRef? = app.run {
            var result: CFTypeRef?
            let query: [CFString: Any] = [kSecValueRef: certificate, kSecReturnRef: true]
            #expect(SecItemAdd(query as CFDictionary, &result) == errSecSuccess)
            return result
        }
        #expect((result as? [SecCertificate]) == [certificate])
    }

    @Test(
        "r. 26391756: issuer and subject are whole names in a file, and their content in the data protection keychain"
    )
    func wholeNames() throws {
        let data = try ImportFiles.shared.get().data("leaf.der")
        let certificate = try #require(SecCertificateCreateWithData(nil, data as CFData))
        let query: [CFString: Any] = [kSecClass: kSecClassCertificate, kSecReturnAttributes: true]
        let flag: [CFString: Any] = [kSecUseDataProtectionKeychain: true]
        #expect(add([kSecValueRef: certificate]) == errSecSuccess)
        let inFile = try #require((copy(query).result as? [CFString: Any])?[kSecAttrIssuer] as? Data)
        #expect(inFile.first == 0x30)
        #expect(add(adding(flag, to: [kSecValueRef: certificate])) == errSecSuccess)
        let inOther = try #require((copy(adding(flag, to: query)).result as? [CFString: Any])?[kSecAttrIssuer] as? Data)
        #expect(inOther.first == 0x31)
        // Either form finds the certificate in the file.
        let search: [CFString: Any] = [kSecAttrIssuer: inFile, kSecUseDataProtectionKeychain: false]
        #expect(copy(adding(search, to: query)).status == errSecSuccess)
    }

    @Test("r. 143405965: a locked data protection keychain shows as not found")
    func lockedShowsAsNotFound() throws {
        let flag: [CFString: Any] = [kSecUseDataProtectionKeychain: true]
        #expect(add(adding(flag, to: adding(secret("x")))) == errSecSuccess)
        try device.lock()
        let query: [CFString: Any] = [kSecReturnData: true]
        #expect(copy(adding(flag, to: adding(query))).status == errSecInteractionNotAllowed)
        #expect(copy(adding(query)).status == errSecItemNotFound)
    }

    @Test("Without return keys a reference is the answer, of an add too")
    func referenceByDefault() throws {
        let result: CFTypeRef? = app.run {
            var result: CFTypeRef?
            #expect(SecItemAdd(adding(secret("x")) as CFDictionary, &result) == errSecSuccess)
            return result
        }
        let item = try #require(result as? SecKeychainItem)
        #expect(copy(Self.password).result as? SecKeychainItem == item)
        #expect(copy([kSecValueRef: item, kSecReturnData: true]).result as? Data == Data("x".utf8))
        #expect(delete([kSecValueRef: item]) == errSecSuccess)
        #expect(delete([kSecValueRef: item]) == errSecInvalidItemRef)
    }

    @Test("A reference of the data protection keychain is of use if the persistent one was returned with it")
    func referencesOfProtectedPasswords() throws {
        let flag: [CFString: Any] = [kSecUseDataProtectionKeychain: true]
        #expect(add(adding(flag, to: adding(secret("x")))) == errSecSuccess)
        let alone: [CFString: Any] = [kSecReturnRef: true]
        let useless = try #require(copy(adding(flag, to: adding(alone))).result as? SecKeychainItem)
        #expect(copy(adding(flag, to: [kSecValueRef: useless])).status == errSecParam)
        #expect(copy([kSecValueRef: useless]).status == errSecInvalidItemRef)
        let both: [CFString: Any] = [kSecReturnRef: true, kSecReturnPersistentRef: true]
        let found = copy(adding(flag, to: adding(both))).result as? [CFString: Any]
        let item = try #require(found?[kSecValueRef] as? SecKeychainItem)
        #expect(copy([kSecValueRef: item, kSecReturnData: true]).result as? Data == Data("x".utf8))
        #expect(delete(adding(flag, to: [kSecValueRef: item])) == errSecSuccess)
        #expect(copy(adding(flag)).status == errSecItemNotFound)
    }

    @Test("All passwords with their data are refused; a number as the limit is not")
    func allWithData() {
        #expect(add(adding(secret("x"))) == errSecSuccess)
        let all: [CFString: Any] = [kSecMatchLimit: kSecMatchLimitAll, kSecReturnData: true]
        #expect(copy(adding(all)).status == errSecParam)
        #expect((copy(adding([kSecMatchLimit: 1000, kSecReturnData: true])).result as? [Data])?.count == 1)
        #expect(copy(adding([kSecMatchLimit: 0])).status == errSecItemNotFound)
        #expect(copy(adding([kSecMatchLimit: -1])).status == errSecParam)
    }

    @Test(
        "Types are checked where the file-based keychain has one",
        arguments: [
            kSecMatchPolicy, kSecMatchSearchList, kSecMatchItemList, kSecUseItemList, kSecMatchEmailAddressIfPresent,
            kSecAttrService, kSecMatchValidOnDate, kSecUseKeychain, kSecAttrAccess, kSecAttrIssuer,
            kSecAttrSerialNumber, kSecValuePersistentRef, kSecValueRef, kSecMatchLimit,
        ].map { $0 as String }
    )
    func wrongTypes(_ key: String) {
        let query: [CFString: Any] = [
            kSecClass: kSecClassGenericPassword, key as CFString: true, kSecUseDataProtectionKeychain: false,
        ]
        // What is removed before the file gets it is not looked at.
        let expected = key == kSecAttrAccess as String ? errSecItemNotFound : errSecParam
        #expect(copy(query).status == expected)
    }

    @Test("Without a class, or with an unknown one, nothing is looked for", arguments: [nil, "none"] as [String?])
    func wrongClass(_ name: String?) {
        var query: [CFString: Any] = [kSecUseDataProtectionKeychain: false]
        if let name { query[kSecClass] = name }
        #expect(copy(query).status == errSecParam)
        query[kSecMatchItemList] = [] as NSArray
        #expect(copy(query).status == errSecParam)
    }

    @Test("An item of another program cannot be deleted, and web forms can")
    func ownerEdit() throws {
        let access: SecAccess? = app.run {
            var other: SecTrustedApplication?
            #expect(SecTrustedApplicationCreateFromPath("/bin/sh", &other) == errSecSuccess)
            var access: SecAccess?
            #expect(SecAccessCreate("other" as CFString, other.map { [$0] as CFArray }, &access) == errSecSuccess)
            return access
        }
        let guarded: [CFString: Any] = [kSecAttrAccess: try #require(access)]
        #expect(add(adding(guarded, to: adding(secret("x")))) == errSecSuccess)
        #expect(delete(Self.password) == errSecInvalidOwnerEdit)
        #expect(copy(adding([kSecReturnData: true])).result as? Data == Data("x".utf8))
        let form: [CFString: Any] = [
            kSecClass: kSecClassInternetPassword, kSecAttrServer: "host",
            kSecAttrAuthenticationType: kSecAttrAuthenticationTypeHTMLForm,
        ]
        #expect(add(adding(guarded, to: adding(secret("x"), to: form))) == errSecSuccess)
        #expect(delete(form) == errSecSuccess)
    }

    @Test("From synchronizable to local by an update without the flag: the item is in both keychains")
    func moveOfLocalItem() {
        let flag: [CFString: Any] = [kSecUseDataProtectionKeychain: true]
        #expect(add(adding(flag, to: adding(secret("x")))) == errSecSuccess)
        #expect(update(Self.password, [kSecAttrSynchronizable: false]) == errSecSuccess)
        #expect(copy(adding(flag)).status == errSecSuccess)
        let declined: [CFString: Any] = [kSecUseDataProtectionKeychain: false, kSecReturnData: true]
        #expect(copy(adding(declined)).result as? Data == Data("x".utf8))
    }

    @Test("From local to synchronizable an item of the file moves")
    func moveToDataProtection() {
        #expect(add(adding(secret("x"))) == errSecSuccess)
        #expect(update(Self.password, [kSecAttrSynchronizable: true]) == errSecSuccess)
        #expect(copy(adding([kSecUseDataProtectionKeychain: false])).status == errSecItemNotFound)
        let synchronizable: [CFString: Any] = [kSecAttrSynchronizable: true, kSecReturnData: true]
        #expect(copy(adding(synchronizable)).result as? Data == Data("x".utf8))
    }

    @Test("An identity is a certificate and a key of the file, whatever label the query has")
    func identities() throws {
        let files = try ImportFiles.shared.get()
        let status: OSStatus = app.run {
            var keychain: SecKeychain?
            #expect(SecKeychainCopyDefault(&keychain) == errSecSuccess)
            var parameters = SecItemImportExportKeyParameters()
            let passphrase = "secret" as NSString
            return withExtendedLifetime(passphrase) {
                parameters.passphrase = Unmanaged.passUnretained(passphrase)
                return try? SecItemImport(files.data("id.p12") as CFData, nil, nil, nil, [], &parameters, keychain, nil)
            } ?? errSecInternalError
        }
        #expect(status == errSecSuccess)
        let query: [CFString: Any] = [
            kSecClass: kSecClassIdentity, kSecAttrLabel: "another", kSecReturnRef: true,
            kSecUseDataProtectionKeychain: false,
        ]
        let identity = try #require(copy(query).result as? SecIdentity)
        #expect(copy(adding([kSecMatchSubjectContains: "Leaf"], to: query)).result as? SecIdentity == identity)
        #expect(copy(adding([kSecMatchSubjectContains: "Nobody"], to: query)).status == errSecItemNotFound)
        #expect(add([kSecClass: kSecClassIdentity, kSecValueRef: identity]) == errSecParam)
        #expect(delete([kSecClass: kSecClassIdentity, kSecUseDataProtectionKeychain: false]) == errSecSuccess)
        #expect(copy(query).status == errSecItemNotFound)
    }

    @Test("A search list narrows a search, an empty one finds nothing, and kSecUseKeychain does not narrow")
    func lists() throws {
        #expect(add(adding(secret("login"))) == errSecSuccess)
        let other = try otherKeychain()
        #expect(add(adding([kSecUseKeychain: other], to: adding(secret("other")))) == errSecSuccess)
        let data: [CFString: Any] = [kSecReturnData: true]
        let inOther: [CFString: Any] = [kSecMatchSearchList: [other]]
        #expect(copy(adding(inOther, to: adding(data))).result as? Data == Data("other".utf8))
        #expect(copy(adding([kSecMatchSearchList: [] as NSArray], to: adding(data))).status == errSecItemNotFound)
        #expect(copy(adding([kSecUseKeychain: other], to: adding(data))).result as? Data == Data("login".utf8))
        let reference = try #require(copy(adding(inOther)).result as? SecKeychainItem)
        let listed: [CFString: Any] = [kSecUseItemList: [reference], kSecReturnData: true]
        #expect(copy(adding([kSecAttrAccount: "whatever"], to: adding(listed))).result as? Data == Data("other".utf8))
        #expect(copy(adding([kSecMatchItemList: [reference]])).status == errSecItemNotFound)
    }

    @Test("9.5: the item that moves goes from its own keychain file, and an equal one of another file stays")
    func moveBesideEqualItem() throws {
        #expect(add(adding(secret("login"))) == errSecSuccess)
        let other = try otherKeychain()
        #expect(add(adding([kSecUseKeychain: other], to: adding(secret("other")))) == errSecSuccess)
        let inOther: [CFString: Any] = [kSecMatchSearchList: [other]]
        #expect(update(adding(inOther), [kSecAttrSynchronizable: true]) == errSecSuccess)
        let data: [CFString: Any] = [kSecReturnData: true]
        #expect(copy(adding(inOther, to: adding(data))).status == errSecItemNotFound)
        let inFiles: [CFString: Any] = [kSecReturnData: true, kSecUseDataProtectionKeychain: false]
        #expect(copy(adding(inFiles)).result as? Data == Data("login".utf8))
        let moved: [CFString: Any] = [kSecReturnData: true, kSecAttrSynchronizable: true]
        #expect(copy(adding(moved)).result as? Data == Data("other".utf8))
    }

    @Test("9.5, known bug: an equal item that is there already gets the new attributes, and not the data")
    func moveOntoEqualItem() {
        let synchronizable: [CFString: Any] = [kSecAttrSynchronizable: true]
        // Equal is what has every attribute of the item of the file, which has a label by default.
        let labelled: [CFString: Any] = [kSecAttrSynchronizable: true, kSecAttrLabel: "service"]
        #expect(add(adding(labelled, to: adding(secret("there")))) == errSecSuccess)
        #expect(add(adding(secret("file"))) == errSecSuccess)
        #expect(update(Self.password, [kSecAttrSynchronizable: true, kSecAttrComment: "new"]) == errSecSuccess)
        #expect(copy(adding([kSecUseDataProtectionKeychain: false])).status == errSecItemNotFound)
        let both: [CFString: Any] = [kSecReturnData: true, kSecReturnAttributes: true]
        let found = copy(adding(synchronizable, to: adding(both))).result as? [CFString: Any]
        #expect(found?[kSecValueData] as? Data == Data("there".utf8))
        #expect(found?[kSecAttrComment] as? String == "new")
    }
}
