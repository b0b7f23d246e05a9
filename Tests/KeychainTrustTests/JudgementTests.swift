// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainCertificates
import KeychainCore
import Testing

@testable import KeychainTrust

/// What is said of an identity, and what is asked for a keychain.
struct JudgementTests {
    @Test(
        "a reason is named as on macOS",
        arguments: [
            (["signing", "issuer"], "2030-01-01", nil), (["signing"], "2030-01-01", "CSSMERR_TP_NOT_TRUSTED"),
            (["expired", "issuer"], "2030-01-01", "CSSMERR_TP_CERT_EXPIRED"),
            (["no purpose", "issuer"], "2030-01-01", "Missing required extension"),
        ] as [([String], String, String?)]
    )
    func reasons(names: [String], date: String, reason: String?) throws {
        let settings = TrustSettingsStore.inMemory()
        let root = try Samples.certificate("root")
        let date = try Samples.date(date)
        try settings.change(.user) { (settings) throws(KeychainError) in try settings.set([], for: root, at: date) }
        let bytes = try names.map(Samples.bytes)
        let found = try TrustJudgement.reason(
            against: bytes[0],
            others: Array(bytes.dropFirst()),
            for: .purpose(.codeSigning, isServer: true, name: nil),
            at: date,
            settings: settings
        )
        #expect(found == reason)
    }

    @Test("a judge trusts by anchors of the system and by settings")
    func judge() throws {
        let settings = TrustSettingsStore.inMemory()
        let judge = SystemTrust(settings: settings)
        let root = try Samples.certificate("root")
        let date = try Samples.date("2030-01-01")
        #expect(try !judge.trusts(root.der, others: [], for: .basicX509, at: date))
        try settings.change(.user) { (settings) throws(KeychainError) in try settings.set([], for: root, at: date) }
        #expect(try judge.trusts(root.der, others: [], for: .basicX509, at: date))
        #expect(try !judge.trusts([1, 2], others: [root.der], for: .basicX509, at: date))
        let (server, issuer) = (try Samples.bytes("server"), try Samples.bytes("issuer"))
        #expect(try !judge.trusts(server, others: [], for: .basicX509, at: date))
        #expect(try judge.trusts(server, others: [issuer], for: .basicX509, at: date))
    }

    @Test("every defect has a status that has a text, and a reason")
    func defects() {
        for defect in TrustDefect.allCases {
            #expect(defect.status.message != nil, "\(defect)")
            #expect(!TrustJudgement.reason(defect).hasPrefix("OSStatus"), "\(defect)")
        }
    }
}
