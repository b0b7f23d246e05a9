// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import SecurityTranscripts
import Testing

/// What other processes of the user can learn from a running `security`.
struct HardeningTests {
    private let process = Process()
    private let input = Pipe()
    private let output = Pipe()
    private let errors = Pipe()

    /// A program that runs, and not what started it: it has answered.
    init() throws {
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        // Root owns the memory of root's processes, dumpable or not.
        let drop = ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups"]
        process.arguments =
            ["SWIFT_BACKTRACE=enable=yes"] + (geteuid() == 0 ? drop : []) + [try ToolProcess.path(), "-q", "-i"]
        process.standardInput = input
        process.standardOutput = output
        process.standardError = errors
        try process.run()
        try input.fileHandleForWriting.write(contentsOf: Data("error 0\n".utf8))
        let answer = output.fileHandleForReading.availableData
        #expect(String(decoding: answer, as: UTF8.self) == "Error: 0x00000000 0 No error.\n")
    }

    @Test("its memory cannot be read, nor dumped")
    func isNotDumpable() throws {
        var status = stat()
        #expect(stat("/proc/\(process.processIdentifier)/mem", &status) == 0)
        #expect(status.st_uid == 0, "the kernel gives what is not dumpable to root")
        try input.fileHandleForWriting.close()
        process.waitUntilExit()
    }

    @Test("a crash ends it without a report, which would show memory", arguments: [SIGILL, SIGSEGV])
    func crashIsSilent(_ signal: Int32) throws {
        kill(process.processIdentifier, signal)
        process.waitUntilExit()
        #expect(process.terminationReason == .uncaughtSignal)
        #expect(process.terminationStatus == signal)
        #expect(errors.fileHandleForReading.readDataToEndOfFile().isEmpty)
    }
}
