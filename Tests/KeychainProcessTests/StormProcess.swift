// SPDX-License-Identifier: Apache-2.0

import CStormSupport
import Glibc
import KeychainTestSupport
import Testing

/// A running `keychain-storm`, which is killed when the object goes away.
final class StormProcess {
    let identifier: pid_t
    private let input: Int32
    private let output: Int32
    private var unread: [UInt8] = []
    private var hasEnded = false
    // Removed only after the process has ended, which could make it anew.
    private let folder: TemporaryFolder?

    /// What went wrong with the process rather than with the keychain.
    enum Failure: Error {
        case noHelper(String)
        case system(String, Int32)
        case silent
        case unfinished(after: [String])
    }

    /// How long any answer may take, and the whole of a storm.
    private static let deadline: Duration = .seconds(600)

    init(
        _ path: String,
        in folder: TemporaryFolder? = nil,
        busyTimeoutMilliseconds: Int32 = 120_000,
        prefix: [String] = []
    ) throws {
        self.folder = folder
        let helper = try Self.helper()
        let arguments = prefix + [helper, path, "\(busyTimeoutMilliseconds)"]
        var strings: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) } + [nil]
        defer { for string in strings { free(string) } }
        var process: pid_t = 0
        var descriptors: (input: Int32, output: Int32) = (-1, -1)
        let status = storm_spawn(&strings, &process, &descriptors.input, &descriptors.output)
        guard status == 0 else { throw Failure.system("spawn", status) }
        identifier = process
        (input, output) = descriptors
    }

    deinit {
        close(input)
        if !hasEnded {
            kill(identifier, SIGKILL)
            var status: Int32 = 0
            _ = storm_wait(identifier, 10_000, &status)
        }
        close(output)
    }

    /// The helper lies beside the bundle of the tests, where the package manager builds both.
    private static func helper() throws -> String {
        guard let program = realpath("/proc/self/exe", nil) else { throw Failure.system("realpath", errno) }
        defer { free(program) }
        let folder = String(cString: program).split(separator: "/").dropLast().reduce("") { "\($0)/\($1)" }
        let path = "\(folder)/keychain-storm"
        guard access(path, X_OK) == 0 else { throw Failure.noHelper(path) }
        return path
    }

    /// Sends a command.
    func send(_ command: String) throws {
        let bytes = Array("\(command)\n".utf8)
        guard write(input, bytes, bytes.count) == bytes.count else { throw Failure.system("write", errno) }
    }

    /// Sends a command that takes a secret, which follows its line, and is answered by one line.
    func ask(_ command: String, _ secret: [UInt8]) throws -> Step {
        try send("\(command) \(secret.count)")
        guard write(input, secret, secret.count) == secret.count else { throw Failure.system("write", errno) }
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
    func nextStep() throws -> Step? { try nextLine().map(Step.init) }

    /// The steps up to a line that begins with this word, which is left out; it must come before the deadline.
    func steps(upTo end: String) throws -> [Step] {
        var steps: [Step] = []
        let clock = ContinuousClock()
        let limit = clock.now + Self.deadline
        while clock.now < limit, let line = try nextLine() {
            let step = Step(line)
            if step.operation == end { return steps }
            steps.append(step)
        }
        throw Failure.unfinished(after: steps.suffix(3).map(\.description))
    }

    /// Every step that is still to come before the output ends.
    func remainingSteps() throws -> [Step] {
        var steps: [Step] = []
        while let step = try nextStep() { steps.append(step) }
        return steps
    }

    /// Kills the process, or a child that took its place, with SIGKILL.
    func kill9() throws {
        kill(identifier, SIGKILL)
        _ = try wait()
    }

    /// Waits for the process to end; the status is that of waitpid(2).
    func wait() throws -> Int32 {
        var status: Int32 = 0
        let failure = storm_wait(identifier, 30_000, &status)
        guard failure == 0 else { throw Failure.system("waiting", failure) }
        hasEnded = true
        return status
    }

    private func nextLine() throws -> String? {
        while true {
            if let end = unread.firstIndex(of: UInt8(ascii: "\n")) {
                defer { unread.removeFirst(end + 1) }
                return String(decoding: unread[..<end], as: UTF8.self)
            }
            guard try readMore() else { return nil }
        }
    }

    private func readMore() throws -> Bool {
        var ready = pollfd(fd: output, events: Int16(POLLIN), revents: 0)
        let count = poll(&ready, 1, Int32(Self.deadline.components.seconds * 1000))
        if count < 0, errno == EINTR { return true }
        guard count > 0 else { throw Failure.silent }
        var buffer = [UInt8](repeating: 0, count: 1 << 14)
        let size = read(output, &buffer, buffer.count)
        guard size >= 0 else { throw Failure.system("read", errno) }
        unread += buffer[..<size]
        return size > 0
    }
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
