// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainCertificates
import KeychainCore
import KeychainTestSupport
import Testing

@testable import KeychainTrust

/// Certificates that `keychaind` evaluates for programs which are linked statically.
@Suite(.timeLimit(.minutes(10)))
struct EvaluationProgramTests {
    private static let now = Timestamp(secondsSinceReferenceDate: Date().timeIntervalSinceReferenceDate)

    /// A self-signed certificate.
    private static let root = CertificateMaker.certificate(
        subject: CertificateMaker.name("root"),
        issuer: CertificateMaker.name("root")
    )

    private static func program() throws -> String { try DaemonFolder.program("keychaind") }

    /// Requests with each member that changes an evaluation.
    private static func requests() throws -> [TrustRequest] {
        let plain = TrustRequest(certificates: [root], policies: [.basicX509], date: now)
        var anchored = plain
        anchored.anchors = [root]
        anchored.usesSystemAnchors = false
        var named = anchored
        named.policies = [.tls(isServer: true, host: "host.example"), .revocation(8)]
        named.ocspResponses = [[1, 2, 3]]
        var denied = anchored
        var settings = TrustSettings()
        let certificate = try Certificate(der: root)
        settings.entries[TrustSettings.key(of: root)] = .init(certificate, [.init(.deny)], modified: .referenceDate)
        denied.settings = [settings]
        var late = anchored
        late.date = Timestamp(secondsSinceReferenceDate: 4e9)
        var allowed = late
        allowed.allowsExpired = true
        allowed.allowsExpiredRoot = true
        var implicit = plain
        implicit.hasImplicitAnchors = true
        var excepted = named
        excepted.exceptions = TrustExceptions(try TrustEvaluator.evaluateHere(named))
        let purposes = CertificatePolicy.Purpose.allCases.map { purpose in
            var request = anchored
            request.policies = [.purpose(purpose, isServer: true, name: "ada@host.example")]
            return request
        }
        let malformed = TrustRequest(certificates: [[1, 2, 3]], policies: [.basicX509], date: now)
        let empty = TrustRequest(certificates: [], policies: [.basicX509], date: now)
        return [plain, anchored, named, denied, late, allowed, implicit, excepted, malformed, empty] + purposes
    }

    @Test("it evaluates as the library does, whatever the request is")
    func evaluations() throws {
        let program = try Self.program()
        let requests = try Self.requests()
        for request in requests {
            let expected = try TrustEvaluator.evaluateHere(request)
            let found = try TrustHelper.evaluate(request, by: program)
            #expect(found == expected, "\(request)")
        }
        // The requests differ in what is found.
        #expect(Set(try requests.map { try TrustEvaluator.evaluateHere($0) }).count >= 8)
    }

    @Test("it has the system's anchors")
    func anchors() throws {
        #expect(try TrustHelper.systemAnchors(by: Self.program()) == SystemAnchors.encodings())
    }

    @Test("settings that cannot be read are the library's error")
    func failure() throws {
        let question = TrustQuestion(TrustRequest(certificates: [Self.root], policies: [.basicX509], date: Self.now))
        let changed = try #require(String(data: question.encoding, encoding: .utf8))
            .replacing("<key>settings</key>\n\t\t<array/>", with: "<key>settings</key><array><data>AAAA</data></array>")
        #expect(changed.contains("AAAA"))
        let answer = try TrustAnswer(encoding: TrustHelper.answer(Data(changed.utf8), nil))
        let error = #expect(throws: KeychainError.self) { try answer.evaluation() }
        #expect(error?.status == Status(rawValue: -25_262))
    }

    @Test("where OpenSSL is missing, the reason is the answer")
    func withoutOpenSSL() throws {
        let reason = KeychainError(.notAvailable, "it is missing", kind: .request)
        let question = TrustQuestion(TrustRequest(certificates: [Self.root], policies: [.basicX509], date: Self.now))
        let answer = try TrustAnswer(encoding: TrustHelper.answer(question.encoding, reason))
        let error = #expect(throws: KeychainError.self) { try answer.evaluation() }
        #expect(error?.status == .notAvailable && error?.reason == "it is missing")
    }

    @Test(
        "what does not answer as it should is errSecNotAvailable, never a verdict",
        arguments: [
            ("true", "does not answer"), ("cat", "does not answer"), ("false", "does not answer"),
            ("sleep 600", "takes too long"), ("head -c 100 /dev/zero", "does not answer"),
            ("head -c 100000000 /dev/zero", "its answer is too long"),
        ]
    )
    func failures(_ command: String, _ reason: String) throws {
        let folder = try DaemonFolder()
        let script = folder.path(beside: "helper")
        try Data("#!/bin/sh\nexec \(command)\n".utf8).write(to: URL(fileURLWithPath: script))
        try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: script)
        let request = TrustRequest(certificates: [Self.root], policies: [.basicX509], date: Self.now)
        let patience: Int32 = reason == "takes too long" ? 200 : 60_000
        let error = #expect(throws: KeychainError.self) {
            try TrustHelper.evaluate(request, by: script, atMost: patience)
        }
        #expect(error?.status == .notAvailable)
        #expect(error?.reason.contains(reason) == true, "\(error?.reason ?? "")")
    }

    /// Evaluations that are none of the root's.
    private static func foreignEvaluations() -> [TrustEvaluation] {
        let other = CertificateMaker.certificate(
            subject: CertificateMaker.name("other"),
            issuer: CertificateMaker.name("other")
        )
        let beyond = TrustEvaluation.Finding(position: 2, defect: .denied)
        let before = TrustEvaluation.Finding(position: -1, defect: .denied)
        return [
            TrustEvaluation(chain: [other]), TrustEvaluation(chain: [other, root]),
            TrustEvaluation(chain: [root], findings: [beyond]), TrustEvaluation(chain: [root], findings: [before]),
        ]
    }

    @Test("an answer about another certificate, or about a position outside of the chain, is no verdict")
    func foreignAnswers() throws {
        let request = TrustRequest(certificates: [Self.root], policies: [.basicX509], date: Self.now)
        for evaluation in Self.foreignEvaluations() {
            let folder = try DaemonFolder()
            let answer = folder.path(beside: "answer")
            try TrustAnswer(evaluation).encoding.write(to: URL(fileURLWithPath: answer))
            let script = folder.path(beside: "helper")
            try Data("#!/bin/sh\ncat >/dev/null\nexec cat '\(answer)'\n".utf8).write(to: URL(fileURLWithPath: script))
            try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: script)
            let error = #expect(throws: KeychainError.self) { try TrustHelper.evaluate(request, by: script) }
            #expect(error?.status == .notAvailable)
            #expect(error?.reason.contains("another certificate") == true, "\(error?.reason ?? "")")
        }
    }

    @Test("an answer without a certificate and without a defect is no verdict")
    func emptyAnswer() throws {
        let answer = try TrustAnswer(encoding: TrustAnswer(TrustEvaluation(chain: [])).encoding)
        #expect(throws: KeychainError.self) { try answer.evaluation() }
    }
}
