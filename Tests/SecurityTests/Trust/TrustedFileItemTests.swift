// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainSimulation
import Security
import Testing

/// `kSecMatchTrustedOnly` and `kSecMatchPolicy` in keychain files: the other certificates of the searched keychains may
/// stand in the chains.
@Suite(.timeLimit(.minutes(10)))
struct TrustedFileItemTests {
    enum Condition: String, Sendable {
        case trusted, anyTrust, basic, server, otherHost

        var entries: [CFString: Any] {
            switch self {
            case .trusted: [kSecMatchTrustedOnly: true]
            case .anyTrust: [kSecMatchTrustedOnly: false]
            case .basic: [kSecMatchPolicy: SecPolicyCreateBasicX509()]
            case .server: [kSecMatchPolicy: SecPolicyCreateSSL(true, "www.example.com" as CFString)]
            case .otherHost: [kSecMatchPolicy: SecPolicyCreateSSL(true, "other.example" as CFString)]
            }
        }
    }

    struct Row: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var stored: [String]
        var conditions: [Condition]
        var trustsRoot = true
        var isIn2030 = true
        var found: [String]
    }

    static let rows: [Row] = [
        Row(
            testDescription: "a chain through another certificate of the keychain",
            stored: ["server", "issuer"],
            conditions: [.trusted],
            found: ["server", "issuer"]
        ),
        Row(testDescription: "no chain without it", stored: ["server"], conditions: [.trusted], found: []),
        Row(
            testDescription: "nobody trusts the root",
            stored: ["server", "issuer", "root"],
            conditions: [.trusted],
            trustsRoot: false,
            found: []
        ),
        Row(testDescription: "trust does not matter", stored: ["server"], conditions: [.anyTrust], found: ["server"]),
        Row(
            testDescription: "basic X.509 is the whole chain",
            stored: ["server", "issuer"],
            conditions: [.basic],
            found: ["server", "issuer"]
        ),
        Row(testDescription: "basic X.509 without a chain", stored: ["server"], conditions: [.basic], found: []),
        Row(
            testDescription: "basic X.509 without trust",
            stored: ["server", "issuer"],
            conditions: [.basic],
            trustsRoot: false,
            found: []
        ),
        Row(
            testDescription: "another policy is that of the certificate alone",
            stored: ["server", "client"],
            conditions: [.server],
            trustsRoot: false,
            found: ["server"]
        ),
        Row(
            testDescription: "another policy among the trusted is that of the chain",
            stored: ["server", "issuer", "server of client issuer", "client issuer"],
            conditions: [.trusted, .server],
            found: ["server"]
        ),
        Row(
            testDescription: "another host",
            stored: ["server", "issuer"],
            conditions: [.trusted, .otherHost],
            found: []
        ),
        Row(
            testDescription: "the date is that of the query",
            stored: ["server", "issuer"],
            conditions: [.trusted],
            isIn2030: false,
            found: []
        ),
    ]

    @Test("A query finds the certificates that are trusted", arguments: rows)
    func trusted(_ row: Row) throws {
        let device = try VirtualDevice(.mac)
        try device.install("com.example.app", team: "TEAMID1234").run { () throws in
            for name in row.stored {
                let item: [CFString: Any] = [kSecValueRef: try TrustCertificates.certificate(name)]
                #expect(SecItemAdd(item as CFDictionary, nil) == errSecSuccess)
            }
            if row.trustsRoot {
                let root = try TrustCertificates.certificate("root")
                #expect(SecTrustSettingsSetTrustSettings(root, .user, nil) == errSecSuccess)
            }
            var query: [CFString: Any] = [
                kSecClass: kSecClassCertificate, kSecMatchLimit: kSecMatchLimitAll, kSecReturnRef: true,
                kSecMatchValidOnDate: row.isIn2030 ? TrustCertificates.date : Date(timeIntervalSince1970: 0),
            ]
            for condition in row.conditions { query.merge(condition.entries) { $1 } }
            var result: CFTypeRef?
            let status = SecItemCopyMatching(query as CFDictionary, &result)
            #expect(status == (row.found.isEmpty ? errSecItemNotFound : errSecSuccess))
            let found = Set(result as? [SecCertificate] ?? [])
            #expect(found == Set(try row.found.map(TrustCertificates.certificate)))
        }
    }
}
