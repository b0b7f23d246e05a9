// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import Conformance

/// The runner can fail: each expectation that is wrong is found, and says where.
struct RunnerTests {
    @Test("a right case passes", arguments: Trial.right)
    func rightCasePasses(_ row: Trial) throws {
        #expect(try row.run() == .passed)
    }

    @Test("a wrong case fails at its wrong step", arguments: Trial.wrong)
    func wrongCaseFails(_ row: Trial) throws {
        guard case .failed(let failure) = try row.run() else {
            Issue.record("\(row.name): \(try row.run())")
            return
        }
        #expect(failure.step == row.failingStep)
        #expect(failure.description.contains(row.words), "\(failure)")
    }

    @Test("a matcher sees the difference", arguments: MatcherTrial.unequal)
    func matcherFindsMismatch(_ row: MatcherTrial) throws {
        #expect(try row.mismatch() != nil)
    }

    @Test("a matcher accepts what it describes", arguments: MatcherTrial.equal)
    func matcherAccepts(_ row: MatcherTrial) throws {
        #expect(try row.mismatch() == nil)
    }

    @Test("a line that is no case is named", arguments: BadLine.all)
    func badLineIsNamed(_ row: BadLine) throws {
        let good = #"{"id":"a","title":"t","topic":"t","source":"s","steps":[]}"#
        let error = #expect(throws: CaseFileError.self) {
            try CaseFile.parse(good + "\n\n" + row.line + "\n", file: "cases.jsonl")
        }
        #expect(error?.line == 3)
        #expect(error?.description.hasPrefix("cases.jsonl:3: ") == true)
        #expect(error?.reason.contains(row.words) == true, "\(String(describing: error))")
    }

    @Test("a file that is not there is named")
    func missingFileIsNamed() {
        let url = URL(fileURLWithPath: "/nonexistent/cases.jsonl")
        let error = #expect(throws: CaseFileError.self) { try CaseFile.load(url) }
        #expect(error?.file == url.path)
        #expect(error?.line == nil)
    }

    @Test("every case starts from an empty keychain", arguments: Subject.allCases)
    func casesAreIndependent(_ subject: Subject) throws {
        let add = Trial("add", [#"{"op":"add","args":\#(Trial.item)}"#])
        #expect(try add.run(subject) == .passed)
        #expect(try add.run(subject) == .passed)
    }

    @Test("the summary counts each kind of outcome")
    func summaryCounts() throws {
        var report = Report()
        let testCase = try Trial("x", [#"{"op":"sleep","args":{"ms":0}}"#]).testCase()
        report.add(testCase, .passed)
        report.add(testCase, .failed(Failure(step: 1, operation: "add", expected: "a", got: "b")))
        #expect(report.summary == "1 passed, 1 failed")
        #expect(!report.isClean)
        #expect(report.details.contains("    step 2 (add)"))
    }
}
