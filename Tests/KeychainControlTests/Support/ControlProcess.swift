// SPDX-License-Identifier: Apache-2.0

import CStormSupport
import Foundation
import Glibc
import KeychainTestSupport

/// A program of the package in a process of its own, with a keychain of its own: pipes at its standard input and
/// output, and errors among the output.
final class ControlProcess {
    private let identifier: pid_t
    private var input: Int32
    private let output: Int32
    private var unread: [UInt8] = []
    private var hasEnded = false

    enum Failure: Error {
        case noProgram(String)
        case system(String, Int32)
        case silent(after: String)
    }

    /// A safety net, not a measure: a loaded machine takes its time.
    private static let deadlineMilliseconds: Int32 = 600_000

    /// Starts a program.
    ///
    /// - Parameters:
    ///   - words: its name and arguments.
    ///   - folder: where the keychain lies.
    /// - Throws: ``Failure`` when there is no such program, or no process for it.
    init(_ words: [String], _ folder: TemporaryFolder) throws {
        let environment = [
            "PATH=\(try Self.programs()):/usr/bin:/bin", "HOME=\(folder.path)",
            "XDG_RUNTIME_DIR=\(folder.path)", "SWIFT_KEYCHAIN_HOME=\(folder.path(of: "keychain"))",
        ]
        // A session of its own has no terminal that anybody could be asked at.
        let shell = ["/usr/bin/env", "-i"] + environment + ["setsid", "--wait", "sh", "-c", "exec \"$@\" 2>&1", "sh"]
        var strings: [UnsafeMutablePointer<CChar>?] = (shell + words).map { strdup($0) } + [nil]
        defer { for string in strings { free(string) } }
        var process: pid_t = 0
        var ends: (input: Int32, output: Int32) = (-1, -1)
        let status = storm_spawn(&strings, &process, &ends.input, &ends.output)
        guard status == 0 else { throw Failure.system("spawn", status) }
        identifier = process
        (input, output) = ends
    }

    /// Sends a signal.
    func send(_ signal: Int32) { kill(identifier, signal) }

    deinit {
        closeInput()
        if !hasEnded {
            kill(identifier, SIGKILL)
            var status: Int32 = 0
            _ = storm_wait(identifier, Self.deadlineMilliseconds, &status)
        }
        close(output)
    }

    /// Programs lie beside the bundle of the tests, where the package manager builds both.
    static func programs() throws -> String {
        let bundle = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        let folder = bundle.deletingLastPathComponent().path
        for name in ["keychainctl", "security"] where access("\(folder)/\(name)", X_OK) != 0 {
            throw Failure.noProgram(name)
        }
        return folder
    }

    /// Runs a program to its end.
    static func run(_ words: [String], _ folder: TemporaryFolder, input: String = "") throws -> (Int32, String) {
        let process = try ControlProcess(words, folder)
        try process.send(input)
        process.closeInput()
        let output = try process.rest()
        return (try process.wait(), output)
    }

    /// Waits until some bytes are in its memory: a program that is being started has none for a moment.
    func waitUntilItHolds(_ bytes: [UInt8]) throws {
        for _ in 0..<6_000 {
            if let count = try? count(bytes), count > 0 { return }
            usleep(10_000)
        }
        throw Failure.system("finding what is there", ESRCH)
    }

    /// How often some bytes lie in its memory, which must stand still.
    func count(_ bytes: [UInt8]) throws -> Int {
        try bytes.withUnsafeBufferPointer { bytes in
            var needle = storm_needle(bytes: bytes.baseAddress, count: bytes.count, found: 0)
            guard storm_search_process(identifier, 0, &needle, 1) > 0 else {
                throw Failure.system("reading memory", errno)
            }
            return needle.found
        }
    }

    /// Whether the memory of a child can be looked at, which a hardened program gives to root alone.
    static let memoryIsReadable: Bool = {
        guard geteuid() == 0, let folder = try? TemporaryFolder(),
            let process = try? ControlProcess(["security", "-i"], folder)
        else { return false }
        return (try? process.count([1, 2])) != nil
    }()

    /// Writes to its standard input.
    func send(_ text: String) throws {
        let failure = ChildInput.write(Array(text.utf8), to: input)
        guard failure == 0 else { throw Failure.system("write", failure) }
    }

    /// Ends its standard input.
    func closeInput() {
        if input >= 0 { close(input) }
        input = -1
    }

    /// The next line of its output, without the newline.
    func line() throws -> String {
        while true {
            if let end = unread.firstIndex(of: UInt8(ascii: "\n")) {
                defer { unread.removeFirst(end + 1) }
                return String(decoding: unread[..<end], as: UTF8.self)
            }
            guard try readMore() else { throw Failure.silent(after: String(decoding: unread, as: UTF8.self)) }
        }
    }

    /// Everything else up to the end of its output.
    func rest() throws -> String {
        while try readMore() {}
        defer { unread = [] }
        return String(decoding: unread, as: UTF8.self)
    }

    /// Waits for its end; its exit status.
    func wait() throws -> Int32 {
        var status: Int32 = 0
        let failure = storm_wait(identifier, Self.deadlineMilliseconds, &status)
        guard failure == 0 else { throw Failure.system("waiting", failure) }
        hasEnded = true
        return status & 0x7f == 0 ? (status >> 8) & 0xff : 128 + status & 0x7f
    }

    private func readMore() throws -> Bool {
        var ready = pollfd(fd: output, events: Int16(POLLIN), revents: 0)
        let count = poll(&ready, 1, Self.deadlineMilliseconds)
        if count < 0, errno == EINTR { return true }
        guard count > 0 else { throw Failure.silent(after: String(decoding: unread, as: UTF8.self)) }
        var buffer = [UInt8](repeating: 0, count: 1 << 14)
        let size = read(output, &buffer, buffer.count)
        if size < 0, errno == EINTR { return true }
        guard size >= 0 else { throw Failure.system("read", errno) }
        unread += buffer[..<size]
        return size > 0
    }
}
