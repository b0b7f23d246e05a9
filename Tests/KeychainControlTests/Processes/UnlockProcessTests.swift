// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import KeychainTestSupport
import Testing

/// `keychainctl device unlock -- COMMAND`, and what its processes can read.
@Suite(.serialized)
struct UnlockProcessTests {
    private let folder: TemporaryFolder

    private static let find = ["security", "find-generic-password", "-s", "svc", "-w"]
    private static let unlock = ["keychainctl", "device", "unlock", "--passcode-stdin", "--"]
    private static let isLocked = "User interaction is not allowed."

    /// A keychain with one item and the passcode 1234.
    init() throws {
        folder = try TemporaryFolder()
        #expect(try run(["security", "add-generic-password", "-a", "ada", "-s", "svc", "-w", "secret"]).0 == 0)
        #expect(try run(["keychainctl", "device", "set-passcode", "--passcode-stdin"], "1234\n").0 == 0)
    }

    private func run(_ words: [String], _ input: String = "") throws -> (Int32, String) {
        try ControlProcess.run(words, folder, input: input)
    }

    /// The files that unlocks left in the keychain's folder.
    private var offers: [String] {
        get throws {
            try FileManager.default.contentsOfDirectory(atPath: folder.path(of: "keychain"))
                .filter { $0.hasPrefix("handover.") }
        }
    }

    @Test("a command reads what is locked for everybody else, and leaves nothing behind")
    func child() throws {
        let (lockedStatus, locked) = try run(Self.find)
        #expect(lockedStatus != 0)
        #expect(locked.contains(Self.isLocked), "\(locked)")
        let unlocked = try run(Self.unlock + Self.find, "1234\n")
        #expect(unlocked == (0, "secret\n"))
        #expect(try offers.isEmpty)
        #expect(try run(Self.find).1.contains(Self.isLocked))
    }

    @Test("a lock in another process takes it from a running child, and from grandchildren that begin later")
    func lockInBetween() throws {
        // Each step waits for a line; the child holds its keychain open, the grandchildren open their own.
        let script = """
            security find-generic-password -s svc -w
            read -r line
            security find-generic-password -s svc -w
            exec security -i
            """
        let process = try ControlProcess(Self.unlock + ["sh", "-c", script], folder)
        try process.send("1234\n")
        #expect(try process.line() == "secret")
        #expect(try run(["keychainctl", "device", "lock"]) == (0, "Locked.\n"))
        #expect(try offers.isEmpty, "a lock removes the file")
        try process.send("go on\n")
        #expect(try process.line().contains(Self.isLocked))
        #expect(try process.line().contains("keychainctl device unlock -- "))
        try process.send("find-generic-password -s svc -w\n")
        #expect(try process.line().contains(Self.isLocked))
        process.closeInput()
        _ = try process.rest()
        _ = try process.wait()
    }

    @Test("a child that has its keys already loses them at its next call after a lock")
    func runningChild() throws {
        let process = try ControlProcess(Self.unlock + ["security", "-i"], folder)
        try process.send("1234\nfind-generic-password -s svc -w\n")
        #expect(try process.line() == "secret")
        #expect(try run(["keychainctl", "device", "lock"]).0 == 0)
        try process.send("find-generic-password -s svc -w\n")
        #expect(try process.line().contains(Self.isLocked))
        process.closeInput()
        _ = try process.rest()
        _ = try process.wait()
    }

    @Test(
        "a process in between that hands nothing on has locked children; a number that means something else harms nobody"
    )
    func notHandedOn() throws {
        // The number now belongs to a file.
        let script = """
            eval "exec $SWIFT_KEYCHAIN_UNLOCK_FD<&-"
            eval "exec $SWIFT_KEYCHAIN_UNLOCK_FD</dev/null"
            exec security find-generic-password -s svc -w
            """
        let (status, output) = try run(Self.unlock + ["bash", "-c", script], "1234\n")
        #expect(status != 0)
        #expect(output.contains(Self.isLocked))
    }

    @Test("a wrong passcode runs nothing, and is counted")
    func wrongPasscode() throws {
        let (status, output) = try run(Self.unlock + ["echo", "ran"], "0000\n")
        #expect(status == 1)
        #expect(output.hasPrefix("Error: the passcode is wrong, 1 wrong one in a row"))
        #expect(!output.contains("ran") && !output.contains("0000"))
        #expect(try run(["keychainctl", "device", "status", "--json"]).1.contains("\"failedAttempts\" : 1"))
        #expect(try offers.isEmpty)
    }

    @Test(
        "the exit status is the command's own; the rest of standard input is the command's",
        arguments: [
            ("exit 0", 0), ("exit 7", 7), ("kill -KILL $$", 128 + SIGKILL),
            ("read -r line; test \"$line\" = rest", 0),
        ]
    )
    func status(_ script: String, _ status: Int32) throws {
        #expect(try run(Self.unlock + ["sh", "-c", script], "1234\nrest\n") == (status, ""))
    }

    @Test("a command that is not there is 127, and one that cannot be run 126")
    func noCommand() throws {
        let (missing, text) = try run(Self.unlock + ["no-such-command"], "1234\n")
        #expect(missing == 127)
        #expect(text == "keychainctl: no-such-command: No such file or directory\n")
        #expect(try run(Self.unlock + [folder.path], "1234\n").0 == 126)
        #expect(try offers.isEmpty)
    }

    @Test("without a terminal there is no prompt, and the error names the option")
    func noTerminal() throws {
        for command in ["unlock", "change-passcode", "remove-passcode"] {
            let (status, output) = try run(["keychainctl", "device", command])
            #expect(status == (command == "remove-passcode" ? 2 : 1))
            #expect(output.contains("there is no terminal") || output.contains("There is no terminal"))
        }
    }
}
