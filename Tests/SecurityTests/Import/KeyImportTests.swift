// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainCore
import KeychainServices
import KeychainTestSupport
import Security
import Testing

/// Keys in files, in and out.
struct KeyImportTests {
    @Test(
        "a private key is found in every encoding",
        arguments: [
            ("key.p8", .formatOpenSSL), ("key.p8.pem", .formatOpenSSL), ("key.pem", .formatOpenSSL),
            ("key.sec1", .formatOpenSSL), ("wrapped.p8", .formatWrappedPKCS8), ("wrapped.pem", .formatWrappedPKCS8),
        ] as [(String, SecExternalFormat)]
    )
    func privateKeys(_ name: String, _ format: SecExternalFormat) throws {
        let outcome = try ItemImportTests.load(name, passphrase: "secret")
        #expect(outcome.status == errSecSuccess)
        #expect(outcome.format == format)
        #expect(outcome.type == .itemTypePrivateKey)
        let certificate = try Self.certificate("leaf")
        let keys = try #require(outcome.items as? [SecKey])
        #expect(keys.map { SecKeyCopyPublicKey($0) } == [SecCertificateCopyKey(certificate)])
        #expect(keys.allSatisfy { SecIdentityCreate(nil, certificate, $0) != nil })
    }

    @Test("an RSA key is found in its own encoding", arguments: ["rsa1.der", "rsa1.pem", "rsa.pem"])
    func rsaKeys(_ name: String) throws {
        let keys = try #require(ItemImportTests.load(name).items as? [SecKey])
        let certificate = try Self.certificate("rsacert")
        #expect(keys.map { SecIdentityCreate(nil, certificate, $0) != nil } == [true])
    }

    @Test(
        "a public key is found in every encoding",
        arguments: [("public.pem", "leaf"), ("public.der", "leaf"), ("rsapublic.pem", "rsacert")]
    )
    func publicKeys(_ name: String, _ certificate: String) throws {
        let outcome = try ItemImportTests.load(name)
        #expect(outcome.type == .itemTypePublicKey)
        let expected = SecCertificateCopyKey(try Self.certificate(certificate))
        #expect(outcome.items as? [SecKey] == [expected].compactMap { $0 })
    }

    @Test("keys are exported the way OpenSSL writes them")
    func exports() throws {
        let files = try ImportFiles.shared.get()
        let key = try Self.key("key.pem")
        #expect(try ItemImportTests.export(key) == files.data("key.sec1"))
        #expect(try ItemImportTests.export(key, .formatOpenSSL, flags: .pemArmour) == files.data("key.pem"))
        let publicKey = try #require(SecKeyCopyPublicKey(key))
        #expect(try ItemImportTests.export(publicKey) == files.data("public.der"))
        #expect(try ItemImportTests.export(publicKey, flags: .pemArmour) == files.data("public.pem"))
        let rsa = try Self.key("rsa1.der")
        #expect(try ItemImportTests.export(rsa) == files.data("rsa1.der"))
        #expect(try ItemImportTests.export(rsa, .formatPEMSequence) == files.data("rsa1.pem"))
    }

    @Test("an encrypted key is exported under a passphrase only, and OpenSSL reads it")
    func exportsEncrypted() throws {
        let files = try ImportFiles.shared.get()
        let key = try Self.key("key.pem")
        var data: CFData?
        #expect(SecItemExport(key, .formatWrappedPKCS8, [], nil, &data) == errSecPassphraseRequired)
        let exported = try ItemImportTests.export(key, .formatWrappedPKCS8, flags: .pemArmour, passphrase: "geheim")
        try files.write(exported, to: "exported.pem")
        try files.run("openssl pkey -in exported.pem -passin pass:geheim -outform DER -out exported.der")
        try files.run("openssl pkey -in key.pem -outform DER -out plain.der")
        #expect(try files.data("exported.der") == files.data("plain.der"))
    }

    @Test("an identity is exported as its certificate and its key")
    func exportsIdentity() throws {
        let files = try ImportFiles.shared.get()
        let identity = try #require(SecIdentityCreate(nil, Self.certificate("leaf"), Self.key("key.pem")))
        #expect(try ItemImportTests.export(identity) == files.data("leaf.pem") + files.data("key.pem"))
        var data: CFData?
        #expect(SecItemExport(identity, .formatPKCS12, [], nil, &data) == errSecPassphraseRequired)
    }

    @Test("more than one private key can be refused")
    func onlyOne() throws {
        let files = try ImportFiles.shared.get()
        let data = try files.data("key.pem") + files.data("rsa1.pem") as NSData
        var parameters = SecItemImportExportKeyParameters()
        #expect(SecItemImport(data, nil, nil, nil, [], &parameters, nil, nil) == errSecSuccess)
        parameters.flags = .importOnlyOne
        #expect(SecItemImport(data, nil, nil, nil, [], &parameters, nil, nil) == errSecMultiplePrivKeys)
    }

    @Test("what is imported to a keychain is found in it, and a second time is a duplicate")
    func toKeychain() throws {
        let context = KeychainContext(backend: try TemporaryKeychain(), client: Client(accessGroups: ["group"]))
        try KeychainContext.$current.withValue(context) {
            var keychain: SecKeychain?
            try #require(SecKeychainCopyDefault(&keychain) == errSecSuccess)
            for (name, status) in [
                ("all.pem", errSecSuccess), ("key.pem", errSecSuccess), ("all.pem", errSecDuplicateItem),
            ] {
                let outcome = try ItemImportTests.load(name, to: keychain)
                #expect(outcome.status == status)
                #expect(outcome.items?.isEmpty == false)
            }
            var result: CFTypeRef?
            let query: [CFString: Any] = [
                kSecClass: kSecClassCertificate, kSecMatchLimit: kSecMatchLimitAll, kSecReturnRef: true,
            ]
            #expect(SecItemCopyMatching(query as CFDictionary, &result) == errSecSuccess)
            #expect((result as? [SecCertificate])?.count == 3)
            let identities: [CFString: Any] = [kSecClass: kSecClassIdentity, kSecReturnRef: true]
            #expect(SecItemCopyMatching(identities as CFDictionary, &result) == errSecSuccess)
            #expect(result is SecIdentity)
        }
    }

    static func key(_ name: String) throws -> SecKey {
        try #require(ItemImportTests.load(name).items?.first as? SecKey)
    }

    private static func certificate(_ name: String) throws -> SecCertificate {
        let data = try ImportFiles.shared.get().data("\(name).der")
        return try #require(SecCertificateCreateWithData(nil, data as CFData))
    }

    @Test("the parameters of a curve before its key are passed over")
    func parameters() throws {
        let outcome = try ItemImportTests.load("parameters.pem")
        #expect(outcome.status == errSecSuccess)
        #expect(outcome.format == .formatOpenSSL)
        #expect(outcome.items?.count == 1)
        #expect(outcome.items?.first is SecKey)
    }
}
