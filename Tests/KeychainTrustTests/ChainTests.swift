// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainCore
import KeychainTestSupport
import Testing

@testable import KeychainTrust

/// Every row of `Cases/chains.jsonl`.
struct ChainTests {
    struct Row: Decodable, Sendable, CustomTestStringConvertible {
        var id: String
        var given: [String]
        var anchors: [String]?
        var policies: [String]
        var answers: [String]?
        var date: String?
        /// How long after the start of the day.
        var seconds: Double?
        var defects: [String]?
        /// The status that is told.
        var status: Int32?
        var positions: [Int]?
        var chain: [String]?
        var isChecked: Bool?

        var testDescription: String { id }
    }

    static var rows: [Row] {
        get throws {
            try String(contentsOf: Samples.file("chains.jsonl"), encoding: .utf8).split(separator: "\n").map {
                try JSONDecoder().decode(Row.self, from: Data($0.utf8))
            }
        }
    }

    @Test("a chain is judged", arguments: try rows)
    func row(_ row: Row) throws {
        var request = try Samples.request(
            row.given,
            row.policies.map(CertificatePolicy.init(named:)),
            anchors: row.anchors ?? ["root"]
        )
        if let date = row.date {
            let start = try Samples.date(date).secondsSinceReferenceDate
            request.date = Timestamp(secondsSinceReferenceDate: start + (row.seconds ?? 0))
        }
        request.ocspResponses = try (row.answers ?? []).map(Samples.bytes)
        let evaluation = try TrustEvaluator.evaluate(request)
        #expect(Set(evaluation.findings.map(\.defect.rawValue)) == Set(row.defects ?? []))
        #expect(evaluation.isTrusted == (row.defects ?? []).isEmpty)
        #expect(evaluation.isRevocationChecked == row.isChecked ?? false)
        if let status = row.status { #expect(evaluation.mainFinding?.defect.status.rawValue == status) }
        if let positions = row.positions { #expect(Set(evaluation.findings.map(\.position)) == Set(positions)) }
        if let chain = row.chain { #expect(try evaluation.chain == chain.map(Samples.bytes)) }
    }

    @Test("chains that fail are built for as many certificates as the limit allows, and not for every path")
    func paths() throws {
        let names = (0..<120).reversed().map { "\($0)" }
        var request = try Samples.request([], anchors: [])
        request.certificates = try names.dropLast().map { try #require(Samples.longChain[$0]) }
        var lengths: [Int] = []
        let evaluation = try TrustEvaluator.evaluateHere(request) { lengths.append($0.count) }
        #expect(!evaluation.isTrusted)
        #expect(lengths.count == 2 && lengths.allSatisfy { $0 > 90 }, "\(lengths)")
    }

    @Test("a chain of a hundred issuers is built, and one that is longer is not", arguments: [50, 100, 119])
    func longChain(_ last: Int) throws {
        let names = stride(from: last, through: 0, by: -1).map(String.init)
        var request = try Samples.request([], anchors: [])
        request.certificates = try names.map { try #require(Samples.longChain[$0]) }
        request.anchors = [try #require(request.certificates.last)]
        let evaluation = try TrustEvaluator.evaluate(request)
        #expect(evaluation.isTrusted == (last <= 100), "\(evaluation.findings.prefix(3))")
        if last <= 100 { #expect(evaluation.chain.count == last + 1) }
    }

    @Test("a result is that of the worst that is wrong")
    func results() throws {
        let good = try TrustEvaluator.evaluate(Samples.request(["server", "issuer"]))
        #expect(good.result == .unspecified)
        let untrusted = try TrustEvaluator.evaluate(Samples.request(["server", "issuer"], anchors: []))
        #expect(untrusted.result == .recoverableTrustFailure)
        let forged = try TrustEvaluator.evaluate(Samples.request(["forged", "issuer"]))
        #expect(forged.result == .fatalTrustFailure)
    }

    @Test("expired certificates are passed over on demand")
    func options() throws {
        var request = try Samples.request(["expired", "issuer"])
        request.allowsExpired = true
        #expect(try TrustEvaluator.evaluate(request).isTrusted)
        request.allowsExpired = false
        request.allowsExpiredRoot = true
        #expect(try !TrustEvaluator.evaluate(request).isTrusted)
        request = try Samples.request(["below expired root"], anchors: ["expired root"])
        request.allowsExpiredRoot = true
        #expect(try TrustEvaluator.evaluate(request).isTrusted)
        request = try Samples.request(["server", "issuer", "root"], anchors: [])
        request.hasImplicitAnchors = true
        #expect(try TrustEvaluator.evaluate(request).isTrusted)
    }

    @Test("no certificate is trusted that is none, and nothing breaks")
    func malformed() throws {
        var request = try Samples.request(["server", "issuer"])
        request.certificates = []
        #expect(try TrustEvaluator.evaluate(request).findings.map(\.defect) == [.malformed])
        let server = try Samples.bytes("server")
        let malformed: [[UInt8]] = [
            [], [0x30], server.dropLast(), server + [0], [UInt8](repeating: 0x30, count: 5000),
        ]
        for bytes in malformed {
            request.certificates = [bytes, try Samples.bytes("issuer")]
            #expect(try TrustEvaluator.evaluate(request).mainFinding?.defect == .malformed)
            // What is no certificate is no part of a chain.
            request.certificates = [server, bytes, try Samples.bytes("issuer")]
            #expect(try TrustEvaluator.evaluate(request).isTrusted)
            request.ocspResponses = [bytes]
            #expect(try TrustEvaluator.evaluate(request).isTrusted)
        }
    }

    @Test("no change of one byte makes a certificate trusted, but of its outer algorithm's absence")
    func altered() throws {
        var request = try Samples.request(["server", "issuer"])
        let server = try Samples.bytes("server")
        for index in server.indices {
            request.certificates[0] = server
            request.certificates[0][index] ^= 0x41
            #expect(try !TrustEvaluator.evaluate(request).isTrusted, "byte \(index)")
        }
    }

    @Test(
        "where OpenSSL is missing, or another library has its name, nothing is judged, and the error says what is missing",
        arguments: [("libno.so", "libno.so: cannot open"), ("libc.so.6", "it has no ")]
    )
    func noLibrary(_ name: String, _ reason: String) {
        let error = #expect(throws: KeychainError.self) { _ = try OpenSSL(name) }
        #expect(error?.status == .notAvailable)
        #expect(error?.reason.contains("OpenSSL 3 (\(name))") == true)
        #expect(error?.reason.contains(reason) == true, "\(error?.reason ?? "")")
    }

    @Test("every error of OpenSSL is a defect by name, and an error of later versions is an invalid chain")
    func errors() {
        for error in Int32(0)...200 {
            let name = String(cString: COpenSSL.defect(error))
            #expect(TrustDefect(rawValue: name) != nil, "\(error): \(name)")
        }
        // X509_V_ERR_CERT_HAS_EXPIRED, X509_V_ERR_INVALID_CA, one that is not assigned.
        #expect([10, 79, 200].map(TrustDefect.init(openSSLError:)) == [.expired, .notAuthority, .invalidChain])
    }

    @Test("random damage to certificates and answers breaks nothing", arguments: 1...4)
    func damaged(_ seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let names = ["server", "issuer", "root", "cross by root", "named issuer", "answer: server is good"]
        for _ in 0..<60 {
            var parts = try names.map(Samples.bytes)
            for index in parts.indices where Bool.random(using: &random) {
                for _ in 0..<Int.random(in: 1...8, using: &random) {
                    let place = Int.random(in: 0..<parts[index].count, using: &random)
                    parts[index][place] = UInt8.random(in: 0...255, using: &random)
                }
            }
            var request = try Samples.request([], [.tls(isServer: true, host: "www.example.com"), .revocation(9)])
            request.certificates = Array(parts.prefix(5))
            request.ocspResponses = [parts[5]]
            let evaluation = try TrustEvaluator.evaluate(request)
            #expect(try !evaluation.isTrusted || parts[0] == Samples.bytes("server"))
        }
    }
}
