// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import HostFiles
import KeychainTestSupport
import KeychainWire
import Testing

/// A user's items on their way into the system service and back, as the tools move them, while programs write, and
/// killed at any step.
@Suite(
    .enabled(if: SystemServiceFolder.isPossible, "only root runs programs as other users"),
    .timeLimit(.minutes(20))
)
struct SystemMoveTests {
    private static let anna: uid_t = 1
    private static let accounts = ["a", "b", "c", "d"]

    private let service: SystemServiceFolder
    private let shell: Shell
    private let enable: String

    init() throws {
        service = try SystemServiceFolder()
        shell = try service.shell(of: Self.anna)
        enable = "service enable --system --socket \(service.socket.path)"
    }

    @Test("items, passcode and lock go to the service and back; a rehearsal says how many and changes nothing")
    func bothWays() throws {
        try fill()
        try setPasscode()
        let rehearsal = try shell.control("\(enable) --dry-run")
        #expect(rehearsal.output.contains("4 genp, 1 inet, 0 cert, 0 keys"), "\(rehearsal)")
        #expect(try shell.control("service status").output.contains("embedded"))
        #expect(names(in: "\(service.store)/\(Self.anna)").contains("keychain.db") == false)

        let former = try Data(contentsOf: URL(fileURLWithPath: "\(store)/root.key"))
        let enabled = try shell.control(enable)
        #expect(enabled.status == 0 && enabled.output.contains("now"), "\(enabled)")
        #expect(try Data(contentsOf: URL(fileURLWithPath: "\(store)/root.key")) != former)
        #expect(try secret("a").status == 36, "it is locked")
        #expect(try shell.security("unlock-keychain -p 1234").status == 0)
        try expectAll()
        #expect(try shell.security("find-internet-password -a a -s example.org -w").output == "inet\n")

        let unasked = try shell.control("service disable")
        #expect(unasked.status == 1, "\(unasked)")
        let wrong = try shell.control("service disable --passcode-stdin", input: "4321\n")
        #expect(wrong.status == 1 && wrong.errors.contains("wrong"), "\(wrong)")
        try expectAll()
        let disabled = try disable()
        #expect(disabled.status == 0, "\(disabled)")
        #expect(try Data(contentsOf: URL(fileURLWithPath: "\(store)/root.key")) == former)
        #expect(try shell.control("service status").output.contains("embedded"))
        #expect(try secret("a").status == 36)
        try expectAllUnlocked()
        #expect(try shell.control(enable).status == 0, "nothing of it was left there")
        #expect(try disable().status == 0)
        try expectAllUnlocked()
    }

    @Test("without a passcode the service gives items to nobody, and what is there is not overwritten")
    func refusals() throws {
        try fill()
        #expect(try shell.control(enable).status == 0)
        try expectAll()
        let refused = try shell.control("service disable")
        #expect(refused.status == 1 && refused.errors.contains("set one first"), "\(refused)")
        try expectAll()
        #expect(try shell.control("service disable --leave-items").status == 0)
        #expect(try secret("a").status == 44)
        #expect(try shell.security("add-generic-password -a own -s service -w own").status == 0)
        let occupied = try shell.control(enable)
        #expect(occupied.status == 1 && occupied.errors.contains("nothing is overwritten"), "\(occupied)")
        #expect(try secret("own").output == "own\n")
        #expect(try shell.security("delete-generic-password -a own -s service").status == 0)
        #expect(try shell.control(enable).status == 0)
        try expectAll()
    }

    @Test("programs that write while the keychain is moved there and back lose nothing")
    func writers() throws {
        try fill()
        let done = OperationQueue()
        let added = Added()
        let shell = shell
        let isRunning = Running()
        for writer in 0..<2 {
            done.addOperation {
                var number = 0
                while isRunning.value {
                    let name = "w\(writer)-\(number)"
                    let outcome = try? shell.security("add-generic-password -a \(name) -s service -w x")
                    if outcome?.status == 0 { added.insert(name) } else { added.fail("\(String(describing: outcome))") }
                    number += 1
                }
            }
        }
        defer {
            isRunning.value = false
            done.waitUntilAllOperationsAreFinished()
        }
        let enabled = try shell.control(enable)
        #expect(enabled.status == 0, "\(enabled)")
        try setPasscode()
        #expect(added.failures.isEmpty, "\(added.failures.prefix(3))")
        let disabled = try disable()
        #expect(disabled.status == 0, "\(disabled)")
        isRunning.value = false
        done.waitUntilAllOperationsAreFinished()
        #expect(!added.names.isEmpty)
        // Once the keychain is given away, it is locked.
        #expect(added.failures.allSatisfy { $0.contains("status: 36") }, "\(added.failures.prefix(3))")
        let opened = try shell.run(
            "keychainctl",
            ["device", "unlock", "--passcode-stdin", "--", try DaemonFolder.program("security"), "dump-keychain"],
            input: "1234\n"
        )
        let missing = added.names.filter { !opened.output.contains("\"acct\"<blob>=\"\($0)\"") }
        #expect(missing.isEmpty, "\(missing.sorted().prefix(3))")
    }

    @Test(
        "a move into the service that is killed at a step is completed or reverted by the next command",
        arguments: ["service.record", "root.key.next", "root.key"]
    )
    func killedEnable(_ step: String) throws {
        try fill()
        try setPasscode()
        for next in [enable, "service disable"] {
            try kill(.client, of: enable, at: step, in: store)
            try expectOneTruth(after: next)
        }
    }

    @Test(
        "a move out of the service that is killed at a step is completed or reverted by the next command",
        arguments: ["incoming", "root.key.next", "root.key"]
    )
    func killedDisable(_ step: String) throws {
        try fill()
        try setPasscode()
        for next in [enable, "service disable"] {
            #expect(try shell.control(enable).status == 0)
            try kill(.client, of: "service disable --passcode-stdin", at: step, in: store)
            try expectOneTruth(after: next)
        }
    }

    @Test(
        "a service that is killed at a step of a move loses nothing",
        arguments: ["incoming", "root.key.next", "root.key"]
    )
    func killedService(_ step: String) throws {
        try fill()
        try setPasscode()
        // Its folder is created by the first connection.
        #expect(try shell.control("\(enable) --dry-run").status == 0)
        for next in [enable, "service disable"] {
            try kill(.service, of: enable, at: step, in: "\(service.store)/\(Self.anna)")
            try service.start()
            try expectOneTruth(after: next)
            if step != "incoming" {
                #expect(try shell.control(enable).status == 0)
                try kill(
                    .service,
                    of: "service disable --passcode-stdin",
                    at: step,
                    in: "\(service.store)/\(Self.anna)"
                )
                try service.start()
                try expectOneTruth(after: next)
            }
        }
    }

    @Test("moves that are killed at any moment lose nothing, and leave one truth")
    func killedAtAnyMoment() throws {
        try fill()
        try setPasscode()
        for (line, isReady) in [(enable, false), ("service disable --passcode-stdin", true)] {
            if isReady { #expect(try shell.control(enable).status == 0) }
            let start = ContinuousClock.now
            #expect(try shell.control(line, input: "1234\n").status == 0)
            let whole = start.duration(to: .now).components
            let microseconds = whole.seconds * 1_000_000 + whole.attoseconds / 1_000_000_000_000
            if !isReady { #expect(try disable().status == 0) }
            for round in 0..<4 {
                if isReady { #expect(try shell.control(enable).status == 0) }
                let process = try started(line)
                // Waits for nothing: the delays distribute the kills over the whole command.
                usleep(useconds_t(microseconds * Int64(round) / 3))
                Glibc.kill(process.processIdentifier, SIGKILL)
                process.waitUntilExit()
                try expectOneTruth(after: round.isMultiple(of: 2) ? enable : "service disable")
            }
        }
    }

    // MARK: Steps

    private enum Victim { case client, service }

    private var store: String { service.path(of: "home-\(Self.anna)/swift-keychain") }

    private func fill() throws {
        for account in Self.accounts {
            let added = try shell.security("add-generic-password -a \(account) -s service -w secret-\(account)")
            #expect(added.status == 0, "\(added)")
        }
        #expect(try shell.security("add-internet-password -a a -s example.org -w inet").status == 0)
    }

    private func setPasscode() throws {
        let set = try shell.control("device set-passcode --passcode-stdin", input: "1234\n1234\n")
        #expect(set.status == 0, "\(set)")
    }

    private func secret(_ account: String) throws -> Shell.Outcome {
        try shell.security("find-generic-password -a \(account) -s service -w")
    }

    private func disable() throws -> Shell.Outcome {
        try shell.control("service disable --passcode-stdin", input: "1234\n")
    }

    private func expectAll() throws {
        for account in Self.accounts {
            let found = try secret(account)
            #expect(found.output == "secret-\(account)\n", "\(found)")
        }
    }

    /// The same of an embedded keychain, which each process unlocks for itself.
    private func expectAllUnlocked() throws {
        let dump = [try DaemonFolder.program("security"), "dump-keychain", "-d"]
        let found = try shell.run(
            "keychainctl",
            ["device", "unlock", "--passcode-stdin", "--"] + dump,
            input: "1234\n"
        )
        #expect(found.status == 0, "\(found)")
        for account in Self.accounts { #expect(found.output.contains("secret-\(account)"), "\(found)") }
    }

    /// Runs a command after a killed one, and expects every item through the owner that there is then; at the end the
    /// keychain is embedded.
    private func expectOneTruth(after line: String) throws {
        let isEnabling = line == enable
        let outcome = isEnabling ? try shell.control(line) : try disable()
        let isEmbeddedAlready = outcome.errors.contains("embedded already")
        #expect(outcome.status == 0 || !isEnabling && isEmbeddedAlready, "\(outcome)")
        #expect(names(in: store).contains { $0.hasPrefix("incoming") || $0 == "root.key.next" } == false)
        if isEnabling {
            #expect(try shell.security("unlock-keychain -p 1234").status == 0)
            try expectAll()
            let disabled = try disable()
            #expect(disabled.status == 0, "\(disabled)")
        }
        try expectAllUnlocked()
        #expect(try shell.control("service status").output.contains("embedded"))
        let there = names(in: "\(service.store)/\(Self.anna)")
        #expect(there.contains { $0 == "incoming" || $0 == "root.key.next" } == false, "\(there)")
    }

    private func names(in folder: String) -> [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    }

    private func started(_ line: String) throws -> Process {
        let process = try shell.process("keychainctl", line.split(separator: " ").map(String.init))
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        let input = Pipe()
        process.standardInput = input
        try process.run()
        try input.fileHandleForWriting.write(contentsOf: Data("1234\n".utf8))
        try input.fileHandleForWriting.close()
        return process
    }

    /// Starts a command, and kills it or the service once a file of this name appears in a folder.
    private func kill(_ victim: Victim, of line: String, at name: String, in folder: String) throws {
        let watch = try FolderWatch(folder, for: .newNames)
        let process = try started(line)
        let limit = ContinuousClock.now + .seconds(60)
        while try #require(watch.takeNames()).contains(name) == false {
            try #require(ContinuousClock.now < limit, "\(name) does not appear")
            watch.wait(milliseconds: 1_000)
        }
        Glibc.kill(victim == .client ? process.processIdentifier : service.process, SIGKILL)
        process.waitUntilExit()
    }
}

/// Names that several threads collect.
private final class Added: @unchecked Sendable {
    private let lock = NSLock()
    private var found: Set<String> = []
    private var failed: [String] = []

    var names: Set<String> { lock.withLock { found } }

    var failures: [String] { lock.withLock { failed } }

    func insert(_ name: String) { lock.withLock { _ = found.insert(name) } }

    func fail(_ outcome: String) { lock.withLock { failed.append(outcome) } }
}

/// Whether threads are to go on.
private final class Running: @unchecked Sendable {
    private let lock = NSLock()
    private var isRunning = true

    var value: Bool {
        get { lock.withLock { isRunning } }
        set { lock.withLock { isRunning = newValue } }
    }
}
