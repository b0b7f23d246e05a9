// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import KeychainTestSupport
import SecurityTranscripts
import Testing

/// Streams that do not work, input that is too long, and what other programs see.
@Suite(.timeLimit(.minutes(30)))
struct StreamTests {
    private let user: ToolUser

    init() throws { user = try ToolUser() }

    @Test("output that cannot be written is an error", arguments: [nil, "/dev/full"] as [String?])
    func outputFails(_ output: String?) throws {
        try user.run(["add-generic-password", "-a", "alice", "-s", "svc", "-w", "v"])
        for command in [
            ["find-generic-password", "-w"], ["dump-keychain"], ["help"], ["delete-generic-password", "-s", "svc"],
        ] {
            let result = try run(command, output: output)
            #expect(result.status == 1, "\(command)")
            #expect(result.errors.hasPrefix("security: the output cannot be written: "), "\(command)")
        }
        #expect(try user.run(["find-generic-password", "-w"]).outputText == "v\n", "nothing was deleted")
    }

    @Test("a closed pipe is an error without a message, because its reader has seen enough")
    func brokenPipe() throws {
        let path = user.temporary.path(of: "output")
        #expect(mkfifo(path, 0o600) == 0)
        // Both ends of a named pipe: those of pipe(2) are not close-on-exec from the beginning, and a child of another
        // test would keep them.
        let ends = open(path, O_RDWR | O_CLOEXEC)
        let errors = user.temporary.path(of: "errors")
        let input = try Fifo(in: user.temporary)
        // The child has opened the pipe by the time that it is started; afterwards nobody reads.
        let process = try ToolProcess.start(
            [Array("-i".utf8)],
            in: user.current.path,
            environment: user.environment,
            ToolProcess.Streams(input: input.path, output: path, errors: errors)
        )
        close(ends)
        // More than a pipe holds: a child of another test keeps the reading end until it executes its program.
        try input.feed(String(repeating: "help\n", count: 200))
        #expect(try process.wait() == 1)
        #expect(try String(contentsOfFile: errors, encoding: .utf8).isEmpty)
    }

    @Test("a password that standard error does not take is an error")
    func errorsFail() throws {
        try user.run(["add-generic-password", "-a", "alice", "-s", "svc", "-w", "v"])
        let output = user.temporary.path(of: "output")
        let process = try ToolProcess.start(
            ["find-generic-password", "-g"].map { Array($0.utf8) },
            in: user.current.path,
            environment: user.environment,
            ToolProcess.Streams(output: output, errors: "/dev/full")
        )
        #expect(try process.wait() == 1)
    }

    @Test("an item is stored without any standard stream")
    func closedStreams() throws {
        let process = try ToolProcess.start(
            ["add-generic-password", "-a", "alice", "-s", "svc", "-w", "v"].map { Array($0.utf8) },
            in: user.current.path,
            environment: user.environment,
            ToolProcess.Streams(input: nil, output: nil, errors: nil)
        )
        #expect(try process.wait() == 0)
        #expect(try user.run(["find-generic-password", "-w"]).outputText == "v\n")
    }

    @Test("a message does not end up in the file that took the place of a closed stream")
    func closedErrors() throws {
        let path = user.temporary.path(of: "dump")
        try user.run(["add-generic-password", "-a", "alice", "-s", "svc", "-w", "v"])
        let store = try RawStore(path: user.keychainPath + "/keychain.db")
        try store.execute("UPDATE items_genp SET metadata = x''")
        let process = try ToolProcess.start(
            ["dump-keychain", "-o", path].map { Array($0.utf8) },
            in: user.current.path,
            environment: user.environment,
            ToolProcess.Streams(output: "/dev/null", errors: nil)
        )
        #expect(try process.wait() == 1)
        // What is not complete gets no name.
        #expect(try FileManager.default.contentsOfDirectory(atPath: user.temporary.path).isEmpty)
    }

    @Test("a closed standard input cannot be asked")
    func closedInput() throws {
        let errors = user.temporary.path(of: "errors")
        let process = try ToolProcess.start(
            ["add-generic-password", "-a", "alice", "-s", "svc", "-w"].map { Array($0.utf8) },
            in: user.current.path,
            environment: user.environment,
            ToolProcess.Streams(input: nil, output: "/dev/null", errors: errors)
        )
        #expect(try process.wait() == 1)
        #expect(try String(contentsOfFile: errors, encoding: .utf8).contains("the password cannot be read"))
        #expect(try user.run(["find-generic-password"]).status == 44)
    }

    @Test("a line of a session may have a mebibyte, and not a byte more")
    func longLines() throws {
        let command = "add-generic-password -a alice -s svc -w "
        let room = (1 << 20) - command.utf8.count
        let secret = String(repeating: "a", count: room)
        let fits = try user.run(["-i"], input: command + secret + "\n")
        #expect(fits.status == 0 && fits.errors.isEmpty)
        #expect(try user.run(["find-generic-password", "-w"]).outputText == secret + "\n")

        let tooLong = try user.run(["-i"], input: "add-generic-password -a carol -s svc -w b\(secret)\nhelp error\n")
        #expect(tooLong.status == 0)
        #expect(tooLong.errorText == "security: a line is longer than 1048576 bytes\n")
        #expect(tooLong.outputText == "Usage: error [-h] [code...]\n")
        #expect(try user.run(["find-generic-password", "-a", "carol"]).status == 44)
        let last = try user.run(["-i"], input: "help error\n" + command + secret + "x\n")
        #expect(last.status == 1)
    }

    @Test("a password from standard input may have a mebibyte, and not a byte more")
    func longPasswords() throws {
        let add = ["add-generic-password", "-a", "alice", "-s", "svc", "-w"]
        let secret = String(repeating: "a", count: 1 << 20)
        #expect(try user.run(["-S"] + add, input: secret + "\n").status == 0)
        #expect(try user.run(["find-generic-password", "-w"]).outputText == secret + "\n")
        for arguments in [["-S"] + add, add] {
            let result = try user.run(arguments, input: "b\(secret)\nb\(secret)\n")
            #expect(result.status == 1)
            #expect(result.errorText.hasSuffix("security: the password is longer than 1048576 bytes\n"))
        }
    }

    @Test("a prompt takes its lines, and leaves what follows to others")
    func inputIsLeft() throws {
        let script = """
            { "$1" add-generic-password -a alice -s svc -w 2>/dev/null; cat; } <<EOF
            one
            one
            rest
            EOF
            """
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/setsid")
        process.arguments = ["-w", "/bin/sh", "-c", script, "sh", try ToolProcess.path()]
        process.environment = user.environment
        let pipe = Pipe()
        process.standardOutput = pipe
        try process.run()
        let output = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        #expect(String(decoding: output, as: UTF8.self) == "rest\n")
        #expect(try user.run(["find-generic-password", "-w"]).outputText == "one\n")
    }

    @Test("a password is read from a pipe that stays open")
    func openPipe() throws {
        let input = try Fifo(in: user.temporary)
        let process = try ToolProcess.start(
            ["-S", "add-generic-password", "-a", "alice", "-s", "svc", "-w"].map { Array($0.utf8) },
            in: user.current.path,
            environment: user.environment,
            ToolProcess.Streams(input: input.path, output: "/dev/null", errors: "/dev/null")
        )
        try input.write("one\n")
        #expect(try process.wait() == 0)
        #expect(try user.run(["find-generic-password", "-w"]).outputText == "one\n")
    }

    @Test("of two lines in a pipe that stays open none is stored")
    func openPipeWithLines() throws {
        let input = try Fifo(in: user.temporary)
        try input.write("one\ntwo\n")
        let process = try ToolProcess.start(
            ["-S", "add-generic-password", "-a", "alice", "-s", "svc", "-w"].map { Array($0.utf8) },
            in: user.current.path,
            environment: user.environment,
            ToolProcess.Streams(input: input.path, output: "/dev/null", errors: "/dev/null")
        )
        #expect(try process.wait() == 1)
        #expect(try user.run(["find-generic-password", "-w"]).status == 44)
    }

    @Test("secret arguments disappear from the list of processes")
    func argumentsAreWiped() throws {
        let words = ["-S", "add-generic-password", "-a", "alice", "-X", "68756e74", "-Uwhunter2", "-s", "svc", "-w"]
        let input = try Fifo(in: user.temporary)
        let process = try ToolProcess.start(
            words.map { Array($0.utf8) },
            in: user.current.path,
            environment: user.environment,
            ToolProcess.Streams(input: input.path, output: "/dev/null", errors: "/dev/null")
        )
        let path = "/proc/\(process.identifier)/cmdline"
        let limit = Date(timeIntervalSinceNow: 600)
        var line = ""
        repeat {
            usleep(5000)
            line = String(decoding: (try? Data(contentsOf: URL(fileURLWithPath: path))) ?? Data(), as: UTF8.self)
        } while Date() < limit && (line.contains("hunter2") || !line.contains("security\0-S"))
        #expect(line.contains("alice\0") && line.contains("\0-Uw\0") && line.contains("\0svc\0"))
        #expect(!line.contains("hunter2") && !line.contains("68756e74"))
        try input.feed("hunter2\n")
        #expect(try process.wait() == 0)
        #expect(try user.run(["find-generic-password", "-w"]).outputText == "hunter2\n")
    }

    private func run(_ arguments: [String], output: String?) throws -> (status: Int32, errors: String) {
        let errors = user.temporary.path(of: "errors")
        try? FileManager.default.removeItem(atPath: errors)
        let process = try ToolProcess.start(
            arguments.map { Array($0.utf8) },
            in: user.current.path,
            environment: user.environment,
            ToolProcess.Streams(output: output, errors: errors)
        )
        return (try process.wait(), try String(contentsOfFile: errors, encoding: .utf8))
    }

    /// A named pipe, which a child opens without waiting.
    private struct Fifo: ~Copyable {
        let path: String
        private let descriptor: Int32

        init(in folder: TemporaryFolder) throws {
            path = folder.path(of: "fifo")
            guard mkfifo(path, 0o600) == 0 else { throw Pty.Failure.system("mkfifo", errno) }
            descriptor = open(path, O_RDWR | O_CLOEXEC)
        }

        deinit { close(descriptor) }

        /// Writes all that it will ever have.
        consuming func feed(_ text: String) throws { try write(text) }

        func write(_ text: String) throws {
            let bytes = Array(text.utf8)
            guard Glibc.write(descriptor, bytes, bytes.count) == bytes.count else {
                throw Pty.Failure.system("write", errno)
            }
        }
    }
}
