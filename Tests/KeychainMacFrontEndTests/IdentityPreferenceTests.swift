// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import Testing

@testable import KeychainMacFrontEnd

/// Which preference is in effect for a service.
struct IdentityPreferenceTests {
    /// A service, what is stored, and which of these counts.
    static let rows: [(service: String, stored: [String], found: String?)] = [
        ("svc", ["other", "svc"], "svc"),
        ("svc", ["SVC", "sv", "svc/"], nil),
        ("https://a.example.org/x/y", ["https://a.example.org/"], "https://a.example.org/"),
        ("https://a.example.org/x/y", ["https://a.example.org"], nil),
        ("https://a.example.org/x/y", ["https://a.example.org/x"], nil),
        ("https://a.example.org/xy", ["https://a.example.org/x/"], nil),
        (
            "https://a.example.org/x/y", ["https://a.example.org/", "https://a.example.org/x/"],
            "https://a.example.org/x/"
        ),
        (
            "https://a.example.org/x/", ["https://a.example.org/", "https://a.example.org/x/"],
            "https://a.example.org/x/"
        ),
        ("https://a.example.org", ["https://a.example.org/"], "https://a.example.org/"),
        ("https://a.example.org?q=/x/", ["https://a.example.org/"], "https://a.example.org/"),
        ("https://a.example.org/?q=/x/y", ["https://a.example.org/?q=/x/"], nil),
        ("https://a.example.org:8443/x", ["https://a.example.org/"], nil),
        ("https://a.example.org:8443/x", ["https://a.example.org:8443/"], "https://a.example.org:8443/"),
        ("http://a.example.org/x", ["https://a.example.org/"], nil),
        ("https://a.example.org/x", ["https://", "https:/", "/"], nil),
        ("https://a.example.org.evil.net/", ["https://a.example.org/", "*.example.org"], nil),
        ("https://a.example.org@evil.net/", ["https://a.example.org/", "*.example.org", "*.net"], nil),
        ("folder/one/two", ["folder/", "folder/one/"], "folder/one/"),
        ("https://a.b.example.org/x", ["*.example.org"], "*.example.org"),
        ("a.b.example.org", ["*.example.org"], "*.example.org"),
        ("https://a.b.example.org/x", ["*.org", "*.b.example.org", "*.example.org"], "*.b.example.org"),
        ("https://example.org/", ["*.example.org"], nil),
        ("https://example.org/", ["*.org"], "*.org"),
        ("https://badexample.org/", ["*.example.org"], nil),
        ("https://a.example.org:8443/x", ["*.example.org"], "*.example.org"),
        ("https://a.example.org/x", ["https://*.example.org/"], "https://*.example.org/"),
        ("https://a.example.org/x", ["*.example.org", "https://*.example.org/"], "https://*.example.org/"),
        ("https://a.example.org/x", ["http://*.example.org/", "https://*.example.org/y/"], nil),
        ("https://a.example.org/x", ["*.example.org", "https://a.example.org/"], "https://a.example.org/"),
        ("https://a.example.org/x", ["https://a.example.org/", "https://a.example.org/x"], "https://a.example.org/x"),
        ("https://10.0.0.1/", ["*.0.0.1", "*.1"], nil),
        ("https://[2001:db8::1]/x", ["https://[2001:db8::1]/"], "https://[2001:db8::1]/"),
        ("anna@mail.example.org", ["*.example.org", "*.mail.example.org"], nil),
        ("*.example.org", ["*.example.org", "*.org"], "*.example.org"),
        ("a.example.org", ["*.", "*", "*.*.org", ""], nil),
        ("", ["", "/"], ""),
    ]

    @Test("The service itself, then the longest path above it, then the longest domain above its host")
    func inEffect() {
        for row in Self.rows {
            let preference = IdentityPreference(service: row.service)
            #expect(preference.inEffect(row.stored) { $0 } == row.found, "\(row)")
            #expect(preference.inEffect(row.stored.reversed()) { $0 } == row.found, "\(row)")
        }
    }

    @Test("Of several preferences for one service the first counts, and what is none is passed over")
    func firstOfSeveral() {
        let stored: [(String?, Int)] = [(nil, 0), ("svc", 1), ("svc", 2)]
        let found = IdentityPreference(service: "svc").inEffect(stored) { $0.0 }
        #expect(found?.1 == 1)
    }

    @Test("A service of any bytes, and of any length, is taken apart")
    func anyService() {
        var random = SystemRandomNumberGenerator()
        let alphabet = Array("a.*/:@?#[]é1 ")
        for _ in 0..<2000 {
            let texts = (0..<2).map { _ in
                String(
                    (0..<Int.random(in: 0...24, using: &random)).map { _ in alphabet.randomElement(using: &random)! }
                )
            }
            let found = IdentityPreference(service: texts[0]).inEffect([texts[1]]) { $0 }
            if texts[0] == texts[1] { #expect(found == texts[1]) }
        }
        let long = "https://a.example.org/" + String(repeating: "x/", count: 100_000)
        #expect(IdentityPreference(service: long).inEffect(["*.org"]) { $0 } == "*.org")
    }
}
