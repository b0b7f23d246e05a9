// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainCore
import KeychainTestSupport
import KeychainTrace
import Testing

/// The trace of a program in a process of its own, and `keychainctl trace` beside it.
struct TraceProcessTests {
    private let folder: TemporaryFolder
    private var path: String { folder.path(of: "trace.jsonl") }

    init() throws { folder = try TemporaryFolder() }

    private func runTraced(_ words: String...) throws -> (Int32, String) {
        try ControlProcess.run(["env", "SWIFT_KEYCHAIN_TRACE=\(path)", "keychain-traced"] + words, folder)
    }

    private func accounts() throws -> [(process: Int32, account: String)] {
        try TraceReader.entries(at: path).map { line in
            let entry = try line.content.get()
            guard case .call(let call) = entry.content, case .copyMatching(let query) = call.operation,
                case .string(let account)? = query["acct"]
            else { throw TraceError.malformed("another call") }
            return (entry.process, account)
        }
    }

    @Test("after a fork both processes write whole lines, each with its own number")
    func fork() throws {
        let (status, output) = try runTraced("fork")
        // Among warnings: the child's calls fail, because a keychain in memory does not outlive a fork.
        #expect(status == 0 && output.contains("child ended with 0\n"))
        let calls = try accounts()
        #expect(calls.count == 101)
        let processes = Dictionary(grouping: calls, by: \.process).mapValues { $0.map(\.account) }
        let own = (0..<50).map { "\($0)" }
        #expect(processes.count == 2)
        #expect(processes.values.contains(own.map { "child \($0)" }))
        #expect(processes.values.contains(["before"] + own.map { "parent \($0)" }))
    }

    @Test("where files may grow no further, calls go on and lines are left out", arguments: [0, 1, 100, 40_000])
    func limit(_ bytes: Int) throws {
        let (status, output) = try runTraced("limit", "\(bytes)")
        #expect(status == 0 && output == "statuses [-25300]\n")
        let size = try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int
        #expect(size ?? .max <= bytes)
        #expect(try accounts().map(\.account) == (0..<accounts().count).map { "\($0)" })
        #expect(try accounts().isEmpty == (bytes < 40_000))
    }

    @Test("a call is shown with the file and the line that it came from")
    func place() throws {
        let (status, output) = try runTraced("call")
        #expect(status == 0)
        #expect(output == "status -25300\n")
        let (shown, text) = try ControlProcess.run(["keychainctl", "trace", path], folder)
        #expect(shown == 0)
        // Of the call within look(for:), or of its caller where no frame was kept for it.
        let places = text.split(separator: " ").filter { $0.contains("KeychainTraced.swift:") }
        #expect(places.count == 1, "\(text)")
    }

    @Test("who follows a trace sees a call as soon as it is made, also in a file that takes the other's place")
    func follow() throws {
        let line = { (account: String) in
            let call = TracedCall(
                .copyMatching(["class": .string("genp"), "acct": .string(account)]),
                client: Client(accessGroups: ["a"]),
                lockState: .unlocked,
                status: .itemNotFound,
                milliseconds: 1
            )
            return TraceEntry(time: .referenceDate, process: 1, program: "app", .call(call)).line + "\n"
        }
        try Data(line("first").utf8).write(to: URL(fileURLWithPath: path))
        let reader = try ControlProcess(["keychainctl", "trace", path, "--follow"], folder)
        #expect(try reader.line().contains("first"))
        let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
        try handle.seekToEnd()
        // In two parts: a line is shown when it is whole.
        let second = Data(line("second").utf8)
        try handle.write(contentsOf: second.prefix(20))
        try handle.write(contentsOf: second.dropFirst(20))
        #expect(try reader.line().contains("second"))
        try FileManager.default.moveItem(atPath: path, toPath: path + ".1")
        try Data(line("third").utf8).write(to: URL(fileURLWithPath: path))
        #expect(try reader.line().contains("third"))
    }
}
