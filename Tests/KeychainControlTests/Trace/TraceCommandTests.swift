// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainCore
import KeychainTestSupport
import KeychainTrace
import Testing

@testable import KeychainControl

/// `keychainctl trace` on a trace of three calls and two lines that are none.
struct TraceCommandTests {
    private let folder: TemporaryFolder
    private var path: String { folder.path(of: "trace.jsonl") }

    init() throws {
        folder = try TemporaryFolder()
        let calls: [(KeychainRequest.Operation, Status)] = [
            (.add(["class": .string("genp"), "acct": .string("anna")]), .success),
            (.copyMatching(["class": .string("inet"), "acct": .string("bert")]), .itemNotFound),
            (.copyMatching(["class": .string("genp"), "acct": .string("carl")]), .itemNotFound),
        ]
        var lines = calls.map { operation, status in
            let call = TracedCall(
                operation,
                client: Client(accessGroups: ["a"]),
                lockState: .locked,
                status: status,
                milliseconds: 1
            )
            return TraceEntry(time: .referenceDate, process: 1, program: "app", .call(call)).line
        }
        lines.insert("{\"v\":2}", at: 1)
        try Data((lines.joined(separator: "\n") + "\n{\"v\":1").utf8).write(to: URL(fileURLWithPath: path))
    }

    private func run(_ arguments: String...) throws -> Control.Outcome {
        try Control(device: FakeDevice()).run(["trace", path] + arguments)
    }

    @Test("each call is a line, and what is none is named with its number")
    func everything() throws {
        let outcome = try run()
        #expect(outcome.status == 0)
        for text in ["anna", "bert", "carl", "SecItemAdd", "errSecItemNotFound", "(locked)", "1.0 ms"] {
            #expect(outcome.output.contains(text), "\(text)")
        }
        #expect(outcome.remarks.contains("line 2: a trace of version 2; this program reads version 1"))
        #expect(outcome.remarks.contains("line 5: the last line is cut short"))
    }

    @Test("constants have their names, an update shows what it sets, and a line without a place ends with the duration")
    func line() {
        let call = TracedCall(
            .update(["class": .string("genp"), "m_Limit": .string("m_LimitAll")], attributes: ["pdmn": .string("ck")]),
            client: Client(accessGroups: ["a"]),
            lockState: .unlocked,
            status: .success,
            milliseconds: 1
        )
        let entry = TraceEntry(time: .referenceDate, process: 1, program: "app", .call(call))
        let line = TraceText.line(for: entry, call: call, at: "")
        let query = "{kSecClass: kSecClassGenericPassword, kSecMatchLimit: kSecMatchLimitAll}"
        #expect(
            line.hasSuffix("SecItemUpdate \(query) → {kSecAttrAccessible: kSecAttrAccessibleAfterFirstUnlock}  1.0 ms")
        )
    }

    @Test(
        "a filter leaves the calls that it is for",
        arguments: [
            (["--status", "errSecItemNotFound"], ["bert", "carl"]), (["--status", "0"], ["anna"]),
            (["--function", "SecItemAdd"], ["anna"]), (["--function", "copy"], ["bert", "carl"]),
            (["--class", "kSecClassGenericPassword"], ["anna", "carl"]), (["--class", "inet"], ["bert"]),
            (["--place", "nowhere"], []), (["--status", "-25300", "--class", "genp"], ["carl"]),
        ]
    )
    func filter(_ arguments: [String], _ accounts: [String]) throws {
        let outcome = try Control(device: FakeDevice()).run(["trace", path] + arguments)
        #expect(["anna", "bert", "carl"].filter(outcome.output.contains) == accounts)
    }

    @Test("a summary counts by status, function and place")
    func summary() throws {
        let outcome = try run("--summary")
        #expect(outcome.output.hasPrefix("2  errSecItemNotFound  SecItemCopyMatching"))
        #expect(outcome.output.contains("1  errSecSuccess  SecItemAdd"))
    }

    @Test("the lines themselves can be had")
    func json() throws {
        let outcome = try run("--json", "--status", "0")
        let line = Array(outcome.output.utf8)
        guard case .call(let call) = try TraceEntry(line: line).content else {
            Issue.record("no call")
            return
        }
        #expect(call.status == .success)
    }

    @Test("a value cannot write to the terminal, nor begin another line")
    func terminal() throws {
        let path = folder.path(of: "evil.jsonl")
        let account = "a\u{1b}[2J\nEVIL\u{0}\u{202e}\u{9b}"
        let query: PropertyDictionary = ["class": .string("genp"), "acct": .string(account)]
        let call = TracedCall(
            .copyMatching(query),
            client: Client(accessGroups: ["a"]),
            lockState: nil,
            status: .success,
            milliseconds: 1
        )
        let line = TraceEntry(time: .referenceDate, process: 1, program: "app", .call(call)).line
        try Data((line + "\n").utf8).write(to: URL(fileURLWithPath: path))
        for arguments in [[], ["--json"], ["--summary"]] {
            let text = try Control(device: FakeDevice()).run(["trace", path] + arguments).output
            #expect(!text.isEmpty && text.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control })
            #expect(!text.unicodeScalars.contains("\u{202e}"))
        }
    }

    @Test("the lines themselves are as they were written, what is hidden in them as well")
    func rawLine() throws {
        let path = folder.path(of: "hashed.jsonl")
        let line =
            #"{"v":1,"time":"2026-11-22T19:00:00.123Z","pid":1,"program":"p","op":"copy","args":{"kSecAttrAccount":{"hash":"00ff"}},"client":{"groups":[]},"status":"errSecSuccess","ms":1,"more":[1]}"#
        try Data((line + "\n").utf8).write(to: URL(fileURLWithPath: path))
        #expect(try Control(device: FakeDevice()).run(["trace", path, "--json"]).output == line)
    }

    @Test("an image that is no regular file is not read", arguments: ["/dev/zero", "/dev"])
    func image(_ path: String) { #expect(TracePlaces().place(of: ["\(path)+0x10"]) == "") }

    @Test("a trace that is not there is an error")
    func missing() throws {
        let outcome = try Control(device: FakeDevice()).run(["trace", folder.path(of: "none")])
        #expect(outcome.status == 1 && outcome.error.contains("No such file"))
        #expect(try run("--follow", "--summary").status == 2)
    }
}
