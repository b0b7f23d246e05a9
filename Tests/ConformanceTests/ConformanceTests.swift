// SPDX-License-Identifier: Apache-2.0

import Conformance
import Foundation
import Testing

/// Every case of `Cases/*.jsonl`, against every subject; but the great number of recorded answers in memory only,
/// because the others take minutes (`Scripts/test-recorded` runs them).
struct ConformanceTests {
    @Test("the recorded answers are there")
    func recorded() {
        #expect(Row.recorded.count >= 3074)
    }

    @Test("a case holds", arguments: try Row.all())
    func caseHolds(_ row: Row) {
        let isRefused = row.subject.refusedCases.contains(row.testCase.id)
        guard case .failed(let failure) = CaseRunner(subject: row.subject).run(row.testCase) else {
            #expect(!isRefused, "\(row.testCase.id) is said to be refused, and is not")
            return
        }
        if isRefused, "\(failure)".contains("errSecMissingEntitlement") { return }
        Issue.record("\(row.testCase.id), \(row.testCase.title): \(failure)")
    }
}

/// One case and the subject that it is run against, named for logs.
struct Row: Sendable, CustomTestStringConvertible {
    var testCase: Case
    var subject: Subject

    var testDescription: String { "\(testCase.id) (\(subject.rawValue))" }

    static func all() throws -> [Row] {
        try cases().flatMap { testCase in
            Subject.allCases.filter { !$0.differs(from: testCase) }.map { Row(testCase: testCase, subject: $0) }
        } + recorded.filter { !isOfRule($0) }.map { Row(testCase: $0, subject: .memory) }
    }

    /// The cases of all files, in the order of the files' names; of the recorded answers those that show a rule each.
    static func cases() throws -> [Case] {
        try files().filter { $0 != recordedFile }.flatMap { try CaseFile.load($0) } + recorded.filter(isOfRule)
    }

    /// Answers of Apple's published client and server to calls, most of which were made at random.
    static let recorded = (try? CaseFile.load(recordedFile)) ?? []

    private static func isOfRule(_ testCase: Case) -> Bool { testCase.id.hasPrefix("edge-") }

    private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("Cases")

    private static let recordedFile = folder.appendingPathComponent("recorded.jsonl")

    private static func files() throws -> [URL] {
        try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
            .filter { $0.pathExtension == "jsonl" }
            .sorted { $0.lastPathComponent < $1.lastPathComponent }
    }
}
