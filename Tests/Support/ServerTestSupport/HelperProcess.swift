// SPDX-License-Identifier: Apache-2.0

import CStormSupport
import Glibc
import KeychainTestSupport

/// A running program of this package that a test talks to by lines; it is killed when the object goes away.
package final class HelperProcess {
    /// The number of the process.
    package let identifier: pid_t
    private let input: Int32
    private let output: Int32
    private var unread: [UInt8] = []
    private var hasEnded = false

    /// What went wrong with the process rather than with what is tested.
    package enum Failure: Error {
        /// There is no such program.
        case noHelper(String)
        /// A call of the system failed.
        case system(String, Int32)
        /// No line came in time.
        case silent
        /// The output ended, or the time did, after these lines.
        case unfinished(after: [String])
    }

    /// How long any answer may take, and the whole of a storm.
    package static let deadline: Duration = .seconds(600)

    private static let deadlineMilliseconds = Int32(deadline.components.seconds * 1000)

    /// Starts a program.
    ///
    /// - Parameters:
    ///   - name: its name, if it lies beside the bundle of the tests, where the package manager builds both; else its
    ///     absolute path.
    ///   - arguments: its arguments.
    ///   - prefix: a program that starts it, with its arguments.
    /// - Throws: ``Failure``.
    package init(_ name: String, _ arguments: [String], prefix: [String] = []) throws {
        let arguments = prefix + [try Self.path(of: name)] + arguments
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

    private static func path(of name: String) throws -> String {
        if name.hasPrefix("/") { return name }
        guard let program = realpath("/proc/self/exe", nil) else { throw Failure.system("realpath", errno) }
        defer { free(program) }
        let folder = String(cString: program).split(separator: "/").dropLast().reduce("") { "\($0)/\($1)" }
        let path = "\(folder)/\(name)"
        guard access(path, X_OK) == 0 else { throw Failure.noHelper(path) }
        return path
    }

    /// Sends a line, and returns the one that answers it.
    package func ask(_ line: String) throws -> String {
        try send(Array("\(line)\n".utf8))
        guard let answer = try nextLine() else { throw Failure.unfinished(after: []) }
        return answer
    }

    /// Sends bytes.
    package func send(_ bytes: [UInt8]) throws {
        let failure = ChildInput.write(bytes, to: input)
        guard failure == 0 else { throw Failure.system("write", failure) }
    }

    /// The next line; `nil` when the output has ended.
    package func nextLine() throws -> String? {
        while true {
            if let end = unread.firstIndex(of: UInt8(ascii: "\n")) {
                defer { unread.removeFirst(end + 1) }
                return String(decoding: unread[..<end], as: UTF8.self)
            }
            guard try readMore() else { return nil }
        }
    }

    /// Whether output is there already.
    package var hasOutput: Bool {
        var ready = pollfd(fd: output, events: Int16(POLLIN), revents: 0)
        return unread.contains(UInt8(ascii: "\n")) || poll(&ready, 1, 0) > 0
    }

    /// The lines before one that `isEnd` says is the last, which is left out; it must come before the deadline.
    package func lines(upTo isEnd: (String) -> Bool) throws -> [String] {
        var lines: [String] = []
        let clock = ContinuousClock()
        let limit = clock.now + Self.deadline
        while clock.now < limit, let line = try nextLine() {
            if isEnd(line) { return lines }
            lines.append(line)
        }
        throw Failure.unfinished(after: lines.suffix(3))
    }

    /// Sends a signal.
    package func signal(_ signal: Int32) { kill(identifier, signal) }

    /// Kills the process, or a child that took its place, with SIGKILL.
    package func kill9() throws {
        signal(SIGKILL)
        _ = try wait()
    }

    /// Waits for the process to end; the status is that of waitpid(2).
    package func wait() throws -> Int32 {
        var status: Int32 = 0
        let failure = storm_wait(identifier, Self.deadlineMilliseconds, &status)
        guard failure == 0 else { throw Failure.system("waiting", failure) }
        hasEnded = true
        return status
    }

    private func readMore() throws -> Bool {
        var ready = pollfd(fd: output, events: Int16(POLLIN), revents: 0)
        let count = poll(&ready, 1, Self.deadlineMilliseconds)
        if count < 0, errno == EINTR { return true }
        guard count > 0 else { throw Failure.silent }
        var buffer = [UInt8](repeating: 0, count: 1 << 14)
        let size = read(output, &buffer, buffer.count)
        guard size >= 0 else { throw Failure.system("read", errno) }
        unread += buffer[..<size]
        return size > 0
    }
}
