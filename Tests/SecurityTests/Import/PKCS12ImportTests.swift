// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainCore
import KeychainServices
import KeychainTestSupport
import Security
import Synchronization
import Testing

/// What `SecPKCS12Import` makes of files (Semantics, "Importing PKCS 12 files").
struct PKCS12ImportTests {
    @Test(
        "a failure is told by its status, and leaves the result alone",
        arguments: [
            ("id.p12", "wrong", errSecAuthFailed), ("id.p12", nil, errSecAuthFailed),
            ("empty.p12", "x", errSecAuthFailed), ("leaf.der", "secret", errSecDecode),
            ("leaf.pem", "secret", errSecDecode), ("nomac.p12", "secret", errSecDecode),
            ("edwards.p12", "secret", errSecDecode),
        ] as [(String, String?, OSStatus)]
    )
    func failures(name: String, password: String?, status: OSStatus) throws {
        let (found, items) = try Self.load(name, password: password)
        #expect(found == status)
        #expect(items == nil)
    }

    @Test("a password that is no string is refused")
    func passwordType() throws {
        var items: CFArray?
        let options: [CFString: Any] = [kSecImportExportPassphrase: 5]
        let data = try ImportFiles.shared.get().data("id.p12")
        #expect(SecPKCS12Import(data as CFData, options as CFDictionary, &items) == errSecParam)
    }

    @Test(
        "certificates without a key are left out on iOS, and have a dictionary of their own on macOS",
        arguments: zip([Profile.iOS, .macOS], [0, 1])
    )
    func certificatesOnly(_ profile: Profile, _ count: Int) throws {
        let client = Client(accessGroups: ["group"], profile: profile)
        let context = KeychainContext(backend: FakeKeychain(failingWith: .internal), client: client)
        let (status, items) = try KeychainContext.$current.withValue(context) {
            try Self.load("nokeys.p12", password: "secret")
        }
        #expect(status == errSecSuccess)
        #expect(items?.count == count)
        guard count > 0 else { return }
        let first = try #require(items?.first)
        #expect(Set(first.keys) == [kSecImportItemCertChain as String])
        let chain = try #require(first[kSecImportItemCertChain as String] as? [SecCertificate])
        let names = chain.compactMap { SecCertificateCopySubjectSummary($0) as String? }
        #expect(Set(names) == ["Root", "Middle"])
    }

    @Test("an identity comes with its chain, its label and its key identifier")
    func identity() throws {
        let (status, items) = try Self.load("id.p12", password: "secret")
        #expect(status == errSecSuccess)
        let item = try #require(items?.first)
        #expect(items?.count == 1)
        let identity = try #require(item[kSecImportItemIdentity as String] as? SecIdentity)
        var certificate: SecCertificate?
        #expect(SecIdentityCopyCertificate(identity, &certificate) == errSecSuccess)
        let chain = try #require(item[kSecImportItemCertChain as String] as? [SecCertificate])
        #expect(chain.map { SecCertificateCopySubjectSummary($0) as String? } == ["Leaf", "Middle", "Root"])
        #expect(chain.first == certificate)
        #expect(item[kSecImportItemLabel as String] as? String == "Friend")
        #expect((item[kSecImportItemKeyID as String] as? Data)?.count == 20)
        #expect(item[kSecImportItemTrust as String] is SecTrust)
    }

    @Test("of two authorities of one name the chain has the one that has signed")
    func renewedAuthority() throws {
        let (_, items) = try Self.load("renewed.p12", password: "secret")
        let chain = try #require(items?.first?[kSecImportItemCertChain as String] as? [SecCertificate])
        let serials = chain.map { SecCertificateCopySerialNumberData($0, nil) as Data? }
        #expect(serials == [Data([4]), Data([99])])
    }

    @Test("an empty password need not be given", arguments: [nil, ""])
    func emptyPassword(_ password: String?) throws {
        let (status, items) = try Self.load("empty.p12", password: password)
        #expect(status == errSecSuccess)
        #expect(items?.count == 1)
        #expect(items?.first?[kSecImportItemLabel as String] == nil)
    }

    @Test("an old file of an RSA key is read, and its key signs for its certificate")
    func legacy() throws {
        let (_, items) = try Self.load("legacy.p12", password: "secret")
        let identity = try #require(items?.first?[kSecImportItemIdentity as String] as? SecIdentity)
        var privateKey: SecKey?
        try #require(SecIdentityCopyPrivateKey(identity, &privateKey) == errSecSuccess)
        let key = try #require(privateKey)
        let data = Data("data".utf8) as CFData
        let algorithm = SecKeyAlgorithm.rsaSignatureMessagePKCS1v15SHA256
        let signature = try #require(SecKeyCreateSignature(key, algorithm, data, nil))
        var leaf: SecCertificate?
        SecIdentityCopyCertificate(identity, &leaf)
        let certificate = try #require(leaf)
        let publicKey = try #require(SecCertificateCopyKey(certificate))
        #expect(SecKeyVerifySignature(publicKey, algorithm, data, signature, nil))
    }

    @Test("a key without a certificate gives no identity")
    func keyOnly() throws {
        let (status, items) = try Self.load("nocerts.p12", password: "secret")
        #expect(status == errSecSuccess)
        #expect(items?.count == 0)
    }

    @Test(
        "the keychain gets what is read when the options say so, with the attributes that they have",
        arguments: [(true, false, 3), (true, true, 0), (false, false, 0)] as [(Bool, Bool, Int)]
    )
    func stored(inKeychain: Bool, inMemoryOnly: Bool, count: Int) throws {
        let client = Client(accessGroups: ["first", "second"])
        let context = KeychainContext(backend: try TemporaryKeychain(), client: client)
        try KeychainContext.$current.withValue(context) {
            let options: [CFString: Any] = [
                kSecUseDataProtectionKeychain: inKeychain, kSecImportToMemoryOnly: inMemoryOnly,
                kSecAttrAccessGroup: "second",
            ]
            // A second time everything is there already.
            for _ in 0..<2 {
                let (status, _) = try Self.load("id.p12", password: "secret", options: options)
                #expect(status == errSecSuccess)
            }
            #expect(Self.count(kSecClassCertificate, "second") == count)
            #expect(Self.count(kSecClassIdentity, "second") == (count > 0 ? 1 : 0))
            #expect(Self.count(kSecClassCertificate, "first") == 0)
        }
    }

    @Test("a key that is not encrypted itself is passed over, by this function alone")
    func plainKey() throws {
        let (status, items) = try Self.load("plainkey.p12", password: "secret")
        #expect(status == errSecSuccess)
        #expect(items?.count == 0)
        var objects: CFArray?
        let data = try ImportFiles.shared.get().data("plainkey.p12")
        var parameters = SecItemImportExportKeyParameters()
        let passphrase = Unmanaged<CFTypeRef>.passRetained(NSString(string: "secret"))
        defer { passphrase.release() }
        parameters.passphrase = passphrase
        #expect(SecItemImport(data as CFData, nil, nil, nil, [], &parameters, nil, &objects) == errSecSuccess)
        #expect((objects as? [AnyObject])?.first is SecIdentity)
    }

    @Test("what cannot be added keeps nothing else from being added, and the last failure is told")
    func addGoesOn() throws {
        let added = Mutex<[ItemClass]>([])
        let keychain = FakeKeychain { (request) throws(KeychainError) in
            guard case .add(let dictionary) = request.operation,
                case .reference(let reference)? = dictionary[PropertyKey.valueReference]
            else { throw KeychainError(.internal, "no add of a reference") }
            let number = added.withLock { added in
                added.append(reference.itemClass)
                return added.count
            }
            switch number {
            case 1: throw KeychainError(.interactionNotAllowed, "the first")
            case 2: throw KeychainError(.diskFull, "the second")
            default: throw KeychainError(.duplicateItem, "the third")
            }
        }
        let context = KeychainContext(backend: keychain, client: Client(accessGroups: ["group"]))
        let (status, items) = try KeychainContext.$current.withValue(context) {
            try Self.load("id.p12", password: "secret", options: [kSecUseDataProtectionKeychain: true])
        }
        #expect(status == errSecDiskFull)
        #expect(items?.count == 1)
        #expect(added.withLock { $0 } == [.identity, .certificate, .certificate])
    }

    @Test("the failure of an add is the status of the import, which has its items all the same")
    func addFails() throws {
        let context = KeychainContext(
            backend: FakeKeychain(failingWith: .interactionNotAllowed),
            client: Client(accessGroups: ["group"])
        )
        let (status, items) = try KeychainContext.$current.withValue(context) {
            try Self.load("id.p12", password: "secret", options: [kSecUseDataProtectionKeychain: true])
        }
        #expect(status == errSecInteractionNotAllowed)
        #expect(items?.count == 1)
    }

    private static func count(_ itemClass: CFString, _ group: String) -> Int {
        let query: [CFString: Any] = [
            kSecClass: itemClass, kSecAttrAccessGroup: group, kSecMatchLimit: kSecMatchLimitAll, kSecReturnRef: true,
        ]
        var result: CFTypeRef?
        guard SecItemCopyMatching(query as CFDictionary, &result) == errSecSuccess else { return 0 }
        return (result as? NSArray)?.count ?? 0
    }

    /// Imports a file, for the app of the test, or for one that has no keychain.
    static func load(
        _ name: String,
        password: String?,
        options: [CFString: Any] = [:]
    ) throws -> (status: OSStatus, items: [[String: Any]]?) {
        var options = options
        if let password { options[kSecImportExportPassphrase] = password }
        var items: CFArray?
        let data = try ImportFiles.shared.get().data(name)
        let none = KeychainContext(backend: FakeKeychain(failingWith: .internal), client: .init(accessGroups: []))
        let status = KeychainContext.$current.withValue(KeychainContext.current ?? none) {
            SecPKCS12Import(data as CFData, options as CFDictionary, &items)
        }
        return (status, try items.map { try #require($0 as? [[String: Any]]) })
    }
}
