// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import SecurityTranscripts
import Testing

/// What other processes of the user can learn from a running `security`.
struct HardeningTests {
    @Test("its memory cannot be read, nor dumped")
    func isNotDumpable() throws {
        let process = Process()
        let (input, output) = (Pipe(), Pipe())
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        // Root owns the memory of root's processes, dumpable or not.
        let drop = ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups"]
        process.arguments = (geteuid() == 0 ? drop : []) + [try ToolProcess.path(), "-i"]
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        defer {
            try? input.fileHandleForWriting.close()
            process.waitUntilExit()
        }
        // An answer means that the program runs, and not what started it.
        try input.fileHandleForWriting.write(contentsOf: Data("error 0\n".utf8))
        let answer = output.fileHandleForReading.availableData
        #expect(String(decoding: answer, as: UTF8.self) == "Error: 0x00000000 0 No error.\n")
        var status = stat()
        #expect(stat("/proc/\(process.processIdentifier)/mem", &status) == 0)
        #expect(status.st_uid == 0, "the kernel gives what is not dumpable to root")
    }
}
