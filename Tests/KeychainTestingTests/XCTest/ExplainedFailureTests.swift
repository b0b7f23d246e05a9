// SPDX-License-Identifier: Apache-2.0

import KeychainTesting
import Testing

@Suite("A failure of an XCTestCase is explained on standard error, once")
struct ExplainedFailureTests {
    private static let mark = ": note: ExplainedXCTests."

    /// What the notes of a run say, by test; a note has several lines.
    private static func notes() throws -> [(head: String, text: String)] {
        let lines = try StrayTable.run(["KeychainTestingTests.ExplainedXCTests"]).lines
        let starts = lines.indices.filter { lines[$0].contains(mark) }
        return starts.map { start in
            let rest = lines[(start + 1)...].prefix { !$0.contains(mark) && !$0.hasPrefix("Test Case") }
            return (lines[start], rest.joined(separator: "\n"))
        }
    }

    @Test("with the calls of its device and why they failed, and in a scenario with its story and advice")
    func notes() throws {
        let notes = try Self.notes()
        func note(_ test: String) throws -> (head: String, text: String) {
            let own = notes.filter { $0.head.contains("\(Self.mark)\(test) : ") }
            #expect(own.count == 1, "\(test): \(notes)")
            return try #require(own.first)
        }
        var places: [String] = []
        for test in ["testInAnApp", "testAfterAnApp", "testInTasks"] {
            let (head, text) = try note(test)
            #expect(head.hasSuffix("The calls on its device, the last ones:"))
            #expect(text.contains("1. SecItemAdd {") && text.contains("2. SecItemCopyMatching {"))
            #expect(text.contains("SecItemCopyMatching, answered errSecInteractionNotAllowed: "))
            places.append(head)
        }
        let scenario = Scenario.lockedInBackground
        for test in ["testAPlay", "testAPlayThatThrows"] {
            let (head, text) = try note(test)
            #expect(head.contains(scenario.story) && text.contains(scenario.advice))
            #expect(text.contains("2. SecItemCopyMatching {"))
            #expect(text.contains("SecItemCopyMatching, answered errSecInteractionNotAllowed: "))
            if test == "testAPlay" { places.append(head) }
        }
        let file = "ExplainedXCTests.swift"
        let path = "\(StrayTable.sources)/Tests/KeychainTestingTests/XCTest/\(file)"
        let told = try StrayTable.lines(of: path) { $0.hasSuffix("// told") }
        #expect(StrayTable.toldLines(of: file, in: places, mark: Self.mark) == told)
        #expect(notes.count == 5, "nothing of those that have no device of their own: \(notes)")
    }
}
