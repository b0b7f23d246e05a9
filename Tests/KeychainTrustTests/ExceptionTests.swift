// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainCore
import Testing

@testable import KeychainTrust

/// What somebody has decided to pass over.
struct ExceptionTests {
    private func request(_ names: [String], _ policy: CertificatePolicy = .basicX509) throws -> TrustRequest {
        try Samples.request(names, [policy], anchors: [])
    }

    @Test("what an evaluation found is passed over, also after it was written down")
    func passesOver() throws {
        var request = try request(["expired", "issuer"])
        let evaluation = try TrustEvaluator.evaluate(request)
        #expect(Set(evaluation.findings.map(\.defect)) == [.expired, .untrusted])
        request.exceptions = TrustExceptions(encoding: TrustExceptions(evaluation).encoding)
        #expect(request.exceptions == TrustExceptions(evaluation))
        let later = try TrustEvaluator.evaluate(request)
        #expect(later.isTrusted && later.result == .proceed)
    }

    @Test("anything else is not passed over")
    func nothingElse() throws {
        var request = try request(["server", "issuer"])
        request.exceptions = TrustExceptions(try TrustEvaluator.evaluate(request))
        request.policies = [.tls(isServer: true, host: "example.org")]
        #expect(try TrustEvaluator.evaluate(request).findings.map(\.defect) == [.hostName])
        request.policies = [.basicX509]
        request.date = try Samples.date("2119-12-31")
        #expect(try TrustEvaluator.evaluate(request).isTrusted)
        request.date = try Samples.date("2121-01-01")
        #expect(try TrustEvaluator.evaluate(request).findings.allSatisfy { $0.defect == .expired })
        request.date = try Samples.date("2030-01-01")
        // Another certificate with the same fault above it.
        request.certificates[0] = try Samples.bytes("client")
        #expect(try !TrustEvaluator.evaluate(request).isTrusted)
        // The same certificate, and others above it.
        request.certificates = [try Samples.bytes("server")]
        #expect(try !TrustEvaluator.evaluate(request).isTrusted)
    }

    @Test("a denial is never passed over")
    func denial() throws {
        var request = try request(["self-signed"])
        var settings = TrustSettings()
        try settings.set([.init(.deny)], for: Samples.certificate("self-signed"), at: request.date)
        request.settings = [settings]
        request.exceptions = TrustExceptions(try TrustEvaluator.evaluate(request))
        let evaluation = try TrustEvaluator.evaluate(request)
        #expect(evaluation.findings.map(\.defect) == [.denied])
        #expect(evaluation.result == .deny)
    }

    @Test(
        "what are no exceptions is none",
        arguments: [
            "", "bplist00", "<plist>" + String(repeating: "<array>", count: 100_000), "<plist><dict/></plist>",
            "<plist><dict><key>version</key><integer>1</integer></dict></plist>",
        ]
    )
    func malformed(_ text: String) { #expect(TrustExceptions(encoding: Data(text.utf8)) == nil) }
}
