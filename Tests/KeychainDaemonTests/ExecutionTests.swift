// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainCore
import KeychainHost
import KeychainTestSupport
import Testing

/// How a daemon comes to run in the background.
@Suite(.timeLimit(.minutes(10)))
struct ExecutionTests {
    @Test("a daemon in the background has executed its program after the forks that led there")
    func executedAgain() throws {
        let folder = try DaemonFolder()
        _ = try folder.keychain().device.status()
        let process = try #require(folder.record?.process)
        #expect(try !Self.hasNotExecutedSinceFork(process))
    }

    /// Whether a process executes no program of its own since it was forked: `PF_FORKNOEXEC` among its flags
    /// (proc(5), `/proc/PID/stat`, field 9), which everybody may read.
    private static func hasNotExecutedSinceFork(_ process: Int32) throws -> Bool {
        let text = try String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)
        // The name of the program is the second field, in parentheses, and may hold both spaces and parentheses.
        let end = try #require(text.lastIndex(of: ")"))
        let fields = text[text.index(after: end)...].split(separator: " ")
        return try #require(UInt64(fields[6])) & 0x40 != 0
    }
}
