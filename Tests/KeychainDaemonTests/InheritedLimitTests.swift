// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainHost
import KeychainTestSupport
import Testing

/// The limits of the program that happens to start a daemon (getrlimit(2)).
struct InheritedLimitTests {
    private let folder: DaemonFolder
    private let shell: Shell

    init() throws {
        folder = try DaemonFolder()
        shell = try Shell.beside(folder)
    }

    /// Runs `security` under limits that a shell sets.
    private func add(_ account: String, after limits: String) throws -> Shell.Outcome {
        let security = try DaemonFolder.program("security")
        let words = "add-generic-password -a \(account) -s service -w token"
        return try shell.run("/bin/bash", ["-c", "\(limits) && exec \"$0\" \(words)", security])
    }

    @Test("a daemon has the hard limits of the program that started it, not the soft ones, and leaves no core file")
    func softLimits() throws {
        let limits = "ulimit -St 50 && ulimit -Sf 200 && ulimit -Sd 4000000 && ulimit -Sv 8000000 && ulimit -Ss 1024"
        #expect(try add("first", after: limits).status == 0)
        let record = try #require(folder.record)
        let lines = try String(contentsOfFile: "/proc/\(record.process)/limits", encoding: .utf8)
            .split(separator: "\n").dropFirst()
        for name in ["cpu time", "file size", "data size", "address space", "processes", "locked memory"] {
            let line = try #require(lines.first { $0.hasPrefix("Max \(name) ") })
            let values = line.dropFirst("Max \(name) ".count).split(separator: " ")
            #expect(values[0] == values[1], "\(line)")
        }
        let stack = try #require(lines.first { $0.hasPrefix("Max stack size ") }).split(separator: " ")
        #expect(stack[3] == "8388608", "\(stack)")
        let core = try #require(lines.first { $0.hasPrefix("Max core file size ") }).split(separator: " ")
        #expect(core[4] == "0", "\(core)")
    }

    @Test("a program that may write no larger file gets errSecDiskFull, with and without a daemon")
    func fileSize() throws {
        #expect(try add("first", after: "true").status == 0)
        #expect(try add("second", after: "ulimit -f 1").status == 0, "the daemon writes")
        #expect(folder.end(by: SIGTERM))
        try folder.handOverToPrograms()
        let refused = try add("third", after: "ulimit -f 1")
        // The last byte of errSecDiskFull, -34: no signal ends it.
        #expect(refused.status == 222, "\(refused)")
        #expect(refused.errors.contains("disk"), "\(refused)")
        #expect(try add("third", after: "true").status == 0)
        let control = try DaemonFolder.program("keychainctl")
        let script = "ulimit -f 1 && exec \"$0\" device set-passcode --passcode-stdin"
        let passcode = try shell.run("/bin/bash", ["-c", script, control], input: "1234\n")
        #expect((1..<128).contains(passcode.status), "\(passcode)")
    }
}
