// SPDX-License-Identifier: Apache-2.0

import Conformance
import Foundation
import Testing

/// Every case of `Cases/*.jsonl`, against every subject.
struct ConformanceTests {
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
        try cases().flatMap { testCase in Subject.allCases.map { Row(testCase: testCase, subject: $0) } }
    }

    /// The cases of all files, in the order of the files' names.
    static func cases() throws -> [Case] {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("Cases")
        let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        return try files.filter { $0.pathExtension == "jsonl" }
            .sorted { $0.lastPathComponent < $1.lastPathComponent }
            .flatMap { try CaseFile.load($0) }
    }
}
