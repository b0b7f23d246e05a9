// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import Testing

@testable import KeychainWire

/// Questions about certificates, and their verdicts, as bytes.
struct JudgementMessageTests {
    private static let questions = [
        JudgementQuestion([], others: [], for: .basicX509, at: .referenceDate),
        JudgementQuestion(
            [1, 2],
            others: [[], [3]],
            for: .tls(isServer: true, host: "a.example"),
            at: .referenceDate
        ),
    ]

    private static let verdicts: [JudgementVerdict] = [
        .trusts(true), .trusts(false), .failure(KeychainError(.notAvailable, "no library", kind: .unavailable)),
    ]

    @Test("a question and a verdict come back as they were, and are none when they are cut short or longer")
    func frames() throws {
        func check<Value: Equatable>(
            _ value: Value,
            in frame: SecretBytes,
            _ read: (UnsafeRawBufferPointer) throws -> Value
        ) throws {
            let bytes = frame.unprotectedCopy
            #expect(try bytes.withUnsafeBytes(read) == value)
            for count in bytes.indices {
                #expect(throws: WireError.self) { try bytes[..<count].withUnsafeBytes(read) }
            }
            #expect(throws: WireError.self) { try (bytes + [0]).withUnsafeBytes(read) }
        }
        for question in Self.questions {
            try check(question, in: question.encoded()) { try JudgementQuestion(frame: $0) }
        }
        for verdict in Self.verdicts { try check(verdict, in: verdict.encoded()) { try JudgementVerdict(frame: $0) } }
    }

    @Test(
        "a verdict of another kind, or neither true nor false, is none",
        arguments: [[0, 0], [3, 1], [1, 2], [1], []]
    )
    func otherVerdicts(_ body: [UInt8]) {
        let frame = [0, 0, 0, UInt8(body.count)] + body
        #expect(throws: WireError.self) { try frame.withUnsafeBytes { try JudgementVerdict(frame: $0) } }
    }
}
