// SPDX-License-Identifier: Apache-2.0

import CredentialHelpers
import KeychainCore
import Testing

/// Hosts, times and prompts: the small parsers.
struct ServerAddressTests {
    @Test(
        "a host has an optional port",
        arguments: [
            ("a.example", "a.example", nil), ("a.example:80", "a.example", 80), ("[::1]", "[::1]", nil),
            ("[fe80::1]:8080", "[fe80::1]", 8080), ("a", "a", nil), ("ümlaut.example", "ümlaut.example", nil),
        ] as [(String, String, UInt16?)]
    )
    func hosts(_ text: String, host: String, port: UInt16?) throws {
        let parsed = try #require(ServerAddress.hostAndPort(text))
        #expect(parsed.host == host && parsed.port == port)
    }

    @Test(
        "what is no host is none",
        arguments: [
            "", ":", ":1", "a:", "a:x", "a:+1", "a:65536", "::1", "[", "[]", "[::1]x", "[::1]:", "[[::1]]", "a@b",
            "a\tb", "a:\u{301}80",
        ]
    )
    func noHosts(_ text: String) { #expect(ServerAddress.hostAndPort(text) == nil) }

    @Test(
        "a time of RFC 3339 is a number of seconds",
        arguments: [
            ("1970-01-01T00:00:00Z", 0), ("2027-01-15T08:00:00Z", 1_800_000_000), ("2000-02-29T23:59:59Z", 951_868_799),
            ("2027-01-15T09:30:00.5+01:30", 1_800_000_000), ("1969-12-31t23:59:59z", -1),
            ("2100-03-01T00:00:00-00:00", 4_107_542_400),
        ]
    )
    func times(_ text: String, _ seconds: Int) { #expect(InternetTime.seconds(text) == seconds) }

    @Test(
        "what is no time is none",
        arguments: [
            "", "2027", "2027-01-15", "2027-01-15T08:00:00", "2027-13-15T08:00:00Z", "2027-01-15T24:00:00Z",
            "2027-01-15T08:00:00.Z", "2027-01-15T08:00:00+1:00", "2027-01-15T08:00:00Zx", "2027-01-15 08:00:00Z",
            "２027-01-15T08:00:00Z",
        ]
    )
    func noTimes(_ text: String) { #expect(InternetTime.seconds(text) == nil) }
}

extension ServerAddressTests {
    @Test("the secret of an item of git's is read as it was stored")
    func gitSecret() throws {
        var approved = GitCredential()
        approved.password = SecretBytes(Array("p=x".utf8))
        approved.passwordExpiry = 12
        approved.refreshToken = SecretBytes(Array("r".utf8))
        let secret = try #require(GitSecret(approved))
        #expect(GitSecret(stored: secret.stored) == secret)
        #expect(secret.stored == SecretBytes(Array("p=x\npassword_expiry_utc=12\noauth_refresh_token=r".utf8)))
        approved.password = nil
        #expect(GitSecret(approved) == nil)
        for text in [
            "p\n", "p\nx", "p\nx=y", "p\nauthtype=a", "p\ncredential=c", "a\rb", "p\noauth_refresh_token=a\rb",
        ] {
            #expect(GitSecret(stored: SecretBytes(Array(text.utf8))) == nil, "\(text)")
        }
    }
}
