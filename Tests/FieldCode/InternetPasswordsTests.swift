// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainTesting
import Security
import Testing

@Suite("Internet passwords", .fieldApp)
struct InternetPasswordsTests {
    private let passwords = InternetPasswords()

    /// A server of the test's own: host names are compared byte by byte, and a URL may fold them to lower case.
    private func withServer(_ name: String, _ body: (String) throws -> Void) throws {
        let server = service(name).lowercased()
        try body(server)
    }

    @Test("server, port, protocol and path tell items apart")
    func uniqueness() throws {
        try withServer("internet.unique") { server in
            let plain = try #require(URL(string: "https://\(server)"))
            let otherPort = try #require(URL(string: "https://\(server):8443"))
            let otherPath = try #require(URL(string: "https://\(server)/admin"))
            let otherProtocol = try #require(URL(string: "ftp://\(server)"))
            for url in [plain, otherPort, otherPath, otherProtocol] {
                #expect(passwords.add("secret", account: "anna", url: url) == errSecSuccess)
                #expect(passwords.add("secret", account: "anna", url: url) == errSecDuplicateItem)
            }
            #expect(passwords.add("secret", account: "anna", url: plain, authentication: .httpBasic) == errSecSuccess)
            #expect(passwords.add("secret", account: "anna", url: plain, realm: "intranet") == errSecSuccess)
            #expect(passwords.add("secret", account: "bert", url: plain) == errSecSuccess)

            #expect(passwords.logins(for: otherPort).map(\.port) == [8443])
            #expect(passwords.logins(for: otherPath).map(\.path) == ["/admin"])
            #expect(passwords.logins(for: otherProtocol).map(\.server) == [server])
            // A query without port and path finds all of its protocol: an absent attribute is no filter.
            #expect(passwords.logins(for: plain).count == 6)
        }
    }

    @Test("what is not given is stored as its default")
    func defaults() throws {
        try withServer("internet.defaults") { server in
            let item = [kSecClass: kSecClassInternetPassword, kSecAttrServer: server] as [CFString: Any]
            var result: CFTypeRef?
            let add = item.merging([kSecReturnAttributes: true]) { $1 }
            #expect(SecItemAdd(add as CFDictionary, &result) == errSecSuccess)
            let attributes = try #require(result as? [String: Any])
            #expect(attributes[kSecAttrAccount as String] as? String == "")
            #expect(attributes[kSecAttrPath as String] as? String == "")
            #expect(attributes[kSecAttrSecurityDomain as String] as? String == "")
            #expect(attributes[kSecAttrPort as String] as? Int == 0)
            #expect(attributes[kSecAttrProtocol as String] as? Int == 0)
            #expect(attributes[kSecAttrAuthenticationType as String] as? String == "")
        }
    }

    @Test("a host match finds the host and those under it, not those that merely end alike")
    func hostMatch() throws {
        try withServer("internet.hosts") { server in
            for prefix in ["", "www.", "not"] {
                let url = try #require(URL(string: "https://\(prefix)\(server)/login"))
                #expect(passwords.add(prefix, account: "anna", url: url) == errSecSuccess)
            }
            let found = Set(passwords.logins(forHostOrSubdomainsOf: server).map(\.server))
            #expect(found == [server, "www.\(server)"])
            #expect(passwords.logins(forHostOrSubdomainsOf: "www.\(server)").map(\.password) == ["www."])
        }
    }

    @Test("a host match is for internet passwords only")
    func hostMatchOfAnotherClass() throws {
        let query = [kSecClass: kSecClassGenericPassword, kSecMatchHostOrSubdomainOfHost: "example.com"]
        #expect(SecItemCopyMatching(query as CFDictionary, nil) == errSecUnimplemented)
    }

    @Test("every protocol comes back as it went in", arguments: InternetProtocol.allCases)
    func protocols(_ known: InternetProtocol) throws {
        try withServer("internet.protocol.\(known.rawValue)") { server in
            let item: [CFString: Any] = [
                kSecClass: kSecClassInternetPassword, kSecAttrServer: server, kSecAttrProtocol: known.rawAttribute,
                kSecReturnAttributes: true,
            ]
            var result: CFTypeRef?
            #expect(SecItemAdd(item as CFDictionary, &result) == errSecSuccess)
            #expect((result as? NSDictionary)?[kSecAttrProtocol] as? String == known.rawAttribute as String)
        }
    }

    @Test("every authentication type comes back as it went in", arguments: InternetAuthentication.allCases)
    func authenticationTypes(_ type: InternetAuthentication) throws {
        try withServer("internet.authentication.\(type)") { server in
            let url = try #require(URL(string: "http://\(server)"))
            #expect(passwords.add("secret", account: "anna", url: url, authentication: type) == errSecSuccess)
            let query: [CFString: Any] = [
                kSecClass: kSecClassInternetPassword, kSecAttrServer: server, kSecReturnAttributes: true,
            ]
            var result: CFTypeRef?
            #expect(SecItemCopyMatching(query as CFDictionary, &result) == errSecSuccess)
            let attributes = try #require(result as? [CFString: Any])
            let value = try #require(attributes[kSecAttrAuthenticationType] as? String)
            #expect(InternetAuthentication(rawValue: value as CFString) == type)
        }
    }

    @Test("a password is deleted by its address and account")
    func deleting() throws {
        try withServer("internet.delete") { server in
            let url = try #require(URL(string: "https://\(server)"))
            #expect(passwords.add("a", account: "anna", url: url) == errSecSuccess)
            #expect(passwords.add("b", account: "bert", url: url) == errSecSuccess)
            #expect(passwords.delete(account: "anna", url: url) == errSecSuccess)
            #expect(passwords.delete(account: "anna", url: url) == errSecItemNotFound)
            #expect(passwords.logins(for: url).map(\.account) == ["bert"])
        }
    }
}
