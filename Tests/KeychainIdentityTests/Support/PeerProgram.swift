// SPDX-License-Identifier: Apache-2.0

import CStormSupport
import Glibc
import KeychainTestSupport

/// A running `signed-program`, which is killed when the object goes away.
final class PeerProgram {
    let identifier: pid_t
    private let input: Int32
    private let output: Int32
    private var unread: [UInt8] = []

    struct Failure: Error {
        let description: String
        init(_ description: String) { self.description = description }
    }

    /// A safety net, not a measure: a loaded machine takes its time.
    private static let deadlineMilliseconds: Int32 = 120_000

    /// Starts a program and waits until it is ready.
    init(_ words: [String], isReady: Bool = true) throws {
        var strings: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
        defer { for string in strings { free(string) } }
        var process: pid_t = 0
        var ends: (input: Int32, output: Int32) = (-1, -1)
        let status = storm_spawn(&strings, &process, &ends.input, &ends.output)
        guard status == 0 else { throw Failure("spawn: \(status)") }
        identifier = process
        (input, output) = ends
        guard isReady else { return }
        let line = try line()
        guard line == "ready" else { throw Failure(line) }
    }

    deinit {
        // One that was attacked may crash at the end of its input.
        kill(identifier, SIGKILL)
        close(input)
        var status: Int32 = 0
        _ = storm_wait(identifier, Self.deadlineMilliseconds, &status)
        close(output)
    }

    /// The path of the helper, beside the bundle of the tests, where the package manager builds both.
    static func path() throws -> String {
        guard let program = realpath("/proc/self/exe", nil) else { throw Failure("realpath") }
        defer { free(program) }
        let folder = String(cString: program).split(separator: "/").dropLast().reduce("") { "\($0)/\($1)" }
        return "\(folder)/signed-program"
    }

    /// Runs a program to its end.
    static func run(_ words: [String]) throws {
        let program = try PeerProgram(words, isReady: false)
        var status: Int32 = 0
        let failure = storm_wait(program.identifier, deadlineMilliseconds, &status)
        guard failure == 0, status == 0 else { throw Failure("\(words): \(failure), \(status)") }
    }

    /// Sends a command and returns the line that answers it.
    func ask(_ command: String) throws -> String {
        try tell(command)
        return try line()
    }

    /// Sends a command that is not answered yet.
    func tell(_ command: String) throws {
        let bytes = Array("\(command)\n".utf8)
        let failure = ChildInput.write(bytes, to: input)
        guard failure == 0 else { throw Failure("write: \(failure)") }
    }

    private func line() throws -> String {
        while true {
            if let end = unread.firstIndex(of: UInt8(ascii: "\n")) {
                defer { unread.removeFirst(end + 1) }
                return String(decoding: unread[..<end], as: UTF8.self)
            }
            var ready = pollfd(fd: output, events: Int16(POLLIN), revents: 0)
            guard poll(&ready, 1, Self.deadlineMilliseconds) > 0 else { throw Failure("it says nothing") }
            var buffer = [UInt8](repeating: 0, count: 1 << 12)
            let count = read(output, &buffer, buffer.count)
            guard count > 0 else { throw Failure("it has ended: \(String(decoding: unread, as: UTF8.self))") }
            unread += buffer[..<count]
        }
    }
}
