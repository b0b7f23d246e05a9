// SPDX-License-Identifier: Apache-2.0

import CStormSupport
import Foundation
import Glibc
import KeychainTestSupport
import Testing

/// What the commands keep in memory while they wait: for the next line, or for a program that they started.
@Suite(.enabled(if: ControlProcess.memoryIsReadable, "the kernel does not let a process read its children's memory"))
struct ProcessMemoryTests {
    private let folder: TemporaryFolder
    private let secret = String(UInt64.random(in: 1 << 60 ... .max), radix: 36) + "-of-the-test"

    init() throws { folder = try TemporaryFolder() }

    @Test("security -i keeps no line once its command has run")
    func interactive() throws {
        let process = try ControlProcess(["security", "-q", "-i"], folder)
        try process.send("error 0\nadd-generic-password -a ada -s svc -w \(secret)\nerror 0\n")
        for _ in 0..<2 { #expect(try process.line() == "Error: 0x00000000 0 No error.") }
        #expect(try process.count(Array(secret.utf8)) == 0)
        // A line that is under way is there: the search finds what is held.
        try process.send("find-generic-password -s svc -w\n")
        #expect(try process.line() == secret)
        process.closeInput()
        _ = try process.rest()
        #expect(try process.wait() == 0)
    }

    @Test("keychainctl has no passcode in memory when the unlocked command starts, nor a secret when a shell reads on")
    func unlock() throws {
        let set = ["keychainctl", "device", "set-passcode", "--passcode-stdin"]
        #expect(try ControlProcess.run(set, folder, input: "\(secret)\n").0 == 0)
        let script = "echo started; read -r line; echo $line"
        let process = try ControlProcess(
            ["keychainctl", "device", "unlock", "--passcode-stdin", "--", "sh", "-c", script],
            folder
        )
        try process.waitUntilItHolds(Array("unlock".utf8))
        try process.send("\(secret)\n")
        #expect(try process.line() == "started")
        #expect(try process.count(Array(secret.utf8)) == 0)
        try process.send("go on\n")
        #expect(try process.line() == "go on")
        #expect(try process.wait() == 0)
    }
}
