// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainSimulation
import KeychainTestSupport
import Security
import Testing

/// Searches of keychain files that give their items one by one, and certificates that are added by a function.
struct KeychainSearchTests {
    @Test("a search gives every item of the class once, and then says that there are no more")
    func search() throws {
        let app = try VirtualDevice(.mac).install("com.example.app", team: "TEAMID1234")
        try app.run {
            for account in ["a", "b"] {
                let status = SecKeychainAddGenericPassword(nil, 1, "s", 1, account, 2, "pw", nil)
                try #require(status == errSecSuccess)
            }
            var search: SecKeychainSearch?
            #expect(
                SecKeychainSearchCreateFromAttributes(nil, .genericPasswordItemClass, nil, &search) == errSecSuccess
            )
            let found = try #require(search)
            var items: [SecKeychainItem] = []
            var item: SecKeychainItem?
            while SecKeychainSearchCopyNext(found, &item) == errSecSuccess, let next = item { items.append(next) }
            #expect(Set(items).count == 2)
            #expect(SecKeychainSearchCopyNext(found, &item) == errSecItemNotFound)
            let other = SecKeychainSearchCreateFromAttributes("x" as NSString, .genericPasswordItemClass, nil, &search)
            #expect(other == errSecParam)
        }
    }

    @Test("a search takes the default keychain and the search list as functions give them, and nothing but keychains")
    func keychains() throws {
        let app = try VirtualDevice(.mac).install("com.example.app", team: "TEAMID1234")
        try app.run {
            try #require(SecKeychainAddGenericPassword(nil, 1, "s", 1, "a", 2, "pw", nil) == errSecSuccess)
            var keychain: SecKeychain?
            try #require(SecKeychainCopyDefault(&keychain) == errSecSuccess)
            var list: CFArray?
            try #require(SecKeychainCopySearchList(&list) == errSecSuccess)
            for searched in [keychain as CFTypeRef?, list] {
                var search: SecKeychainSearch?
                let begun = SecKeychainSearchCreateFromAttributes(searched, .genericPasswordItemClass, nil, &search)
                try #require(begun == errSecSuccess)
                var item: SecKeychainItem?
                #expect(SecKeychainSearchCopyNext(try #require(search), &item) == errSecSuccess)
                let found = SecKeychainFindGenericPassword(searched, 1, "s", 0, nil, nil, nil, nil)
                #expect(found == errSecSuccess)
            }
            let mixed = [try #require(keychain), "x"] as NSArray
            var search: SecKeychainSearch?
            let begun = SecKeychainSearchCreateFromAttributes(mixed, .genericPasswordItemClass, nil, &search)
            #expect(begun == errSecParam)
            #expect(SecKeychainFindGenericPassword(mixed, 1, "s", 0, nil, nil, nil, nil) == errSecParam)
        }
    }

    @Test("a certificate is added to the default keychain once")
    func certificate() throws {
        let app = try VirtualDevice(.mac).install("com.example.app", team: "TEAMID1234")
        try app.run {
            let name = CertificateMaker.name("one")
            let der = CertificateMaker.certificate(subject: name, issuer: name)
            let certificate = try #require(SecCertificateCreateWithData(nil, Data(der) as CFData))
            #expect(SecCertificateAddToKeychain(certificate, nil) == errSecSuccess)
            #expect(SecCertificateAddToKeychain(certificate, nil) == errSecDuplicateItem)
        }
    }
}
