// SPDX-License-Identifier: Apache-2.0

import Foundation
import Keychain
import KeychainTesting
import Security
import Testing

@Suite("A set of a certificate over another one", .keychain(entitlements: .grouped))
struct CertificateReplacementTests {
    private let plain = Protection.accessible(.whenUnlocked)

    /// Two certificates that differ in their signatures only.
    private func pair() throws -> (SecCertificate, SecCertificate) {
        let first = try #require(Data(base64Encoded: SampleCertificate.der))
        var second = first
        second[second.endIndex - 1] ^= 1
        return (
            try #require(SecCertificateCreateWithData(nil, first as NSData)),
            try #require(SecCertificateCreateWithData(nil, second as NSData))
        )
    }

    @Test("A certificate is not set over another one of the same issuer and serial number", arguments: Way.allCases)
    func otherCertificate(way: Way) throws {
        let keychain = try way.subject().keychain
        let (first, second) = try pair()
        let item = CertificateItem(first)
        #expect(CertificateItem(second) == item)
        for _ in 0..<2 {
            try keychain.set(
                .certificate(first),
                for: item,
                protection: plain,
                details: .none,
                authentication: .allowed
            )
        }
        let error = failure { () throws(KeychainItemError) in
            try keychain.set(
                .certificate(second),
                for: item,
                protection: .accessible(.always),
                details: .none,
                authentication: .allowed
            )
        }
        #expect(error?.kind == .duplicate)
        #expect(error?.reason.contains("another certificate") == true)
        #expect(try keychain.certificate(for: item) == first)
        #expect(try keychain.attributes(of: item)?.protection == plain)
        try keychain.delete(item)
        try keychain.set(.certificate(second), for: item, protection: plain, details: .none, authentication: .allowed)
        #expect(try keychain.certificate(for: item) == second)
    }
    @Test("A set of a guarded certificate asks once", arguments: [Way.engine, .functions])
    func asksOnce(way: Way) throws {
        let keychain = try way.subject().keychain
        let owner = try #require(App.current).device.owner
        let (first, second) = try pair()
        let guarded = Protection.guarded(.userPresence, accessible: .whenUnlocked)
        func set(_ certificate: SecCertificate) throws(KeychainItemError) {
            try keychain.set(
                .certificate(certificate),
                for: CertificateItem(first),
                protection: guarded,
                details: .none,
                authentication: .allowed
            )
        }
        try set(first)
        #expect(owner.questions.isEmpty)
        try set(first)
        #expect(owner.questions.count == 1)
        let error = failure { () throws(KeychainItemError) in try set(second) }
        #expect(error?.kind == .duplicate)
        #expect(owner.questions.count == 2)
    }
}
