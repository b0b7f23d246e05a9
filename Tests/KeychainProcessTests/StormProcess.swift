// SPDX-License-Identifier: Apache-2.0

import Glibc
import KeychainTestSupport
import ServerTestSupport
import Testing

/// A running `keychain-storm`, which is killed when the object goes away.
final class StormProcess {
    private let process: HelperProcess
    // Removed only after the process has ended, which could create it again.
    private let folder: TemporaryFolder?

    typealias Failure = HelperProcess.Failure

    init(
        _ path: String,
        in folder: TemporaryFolder? = nil,
        busyTimeoutMilliseconds: Int32 = 120_000,
        likeDaemon: Bool = false,
        prefix: [String] = []
    ) throws {
        self.folder = folder
        let arguments = [path, "\(busyTimeoutMilliseconds)"] + (likeDaemon ? ["daemon"] : [])
        process = try HelperProcess("keychain-storm", arguments, prefix: prefix)
    }

    var identifier: pid_t { process.identifier }

    /// Sends a command.
    func send(_ command: String) throws { try process.send(Array("\(command)\n".utf8)) }

    /// Sends a command that takes a secret, which follows its line, and is answered by one line.
    func ask(_ command: String, _ secret: [UInt8]) throws -> Step {
        try send("\(command) \(secret.count)")
        try process.send(secret)
        guard let step = try nextStep() else { throw Failure.unfinished(after: []) }
        return step
    }

    /// Sends a command that is answered by one line.
    func ask(_ command: String) throws -> Step {
        try send(command)
        guard let step = try nextStep() else { throw Failure.unfinished(after: []) }
        return step
    }

    /// The next acknowledged step; `nil` when the process has ended.
    func nextStep() throws -> Step? { try process.nextLine().map(Step.init) }

    /// Whether a step is there already.
    var hasStep: Bool { process.hasOutput }

    /// The steps up to a line that begins with this word, which is left out; it must come before the deadline.
    func steps(upTo end: String) throws -> [Step] {
        try process.lines(upTo: { Step($0).operation == end }).map(Step.init)
    }

    /// Every step that is still to come before the output ends.
    func remainingSteps() throws -> [Step] {
        var steps: [Step] = []
        while let step = try nextStep() { steps.append(step) }
        return steps
    }

    /// Has the process end by exit(3), and waits for that.
    func end() throws {
        try send("exit")
        _ = try wait()
    }

    /// Kills the process, or a child that took its place, with SIGKILL.
    func kill9() throws { try process.kill9() }

    /// Waits for the process to end; the status is that of waitpid(2).
    func wait() throws -> Int32 { try process.wait() }
}

/// A line of the helper: what was done, to what, and the status.
struct Step: Hashable, CustomStringConvertible {
    let description: String
    private let words: [Substring]

    init(_ line: String) {
        description = line
        words = line.split(separator: " ")
    }

    var operation: String { words.first.map(String.init) ?? "" }
    var subject: String { words.count > 1 ? String(words[1]) : "" }

    /// The first number after the subject.
    var status: Int? { words.dropFirst(2).lazy.compactMap { Int($0) }.first }
    var isDone: Bool { status == 0 }
}

/// Checks that every step succeeded.
func expectDone(_ steps: some Collection<Step>, sourceLocation: SourceLocation = #_sourceLocation) {
    let failures = steps.filter { !$0.isDone }
    #expect(failures.isEmpty, "\(failures.prefix(5))", sourceLocation: sourceLocation)
}
