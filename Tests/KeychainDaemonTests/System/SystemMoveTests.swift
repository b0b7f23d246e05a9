// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import KeychainClient
import KeychainCore
import KeychainEngine
import KeychainHost
import KeychainProtection
import KeychainTestSupport
import KeychainWire
import ServerTestSupport
import Testing

/// A user's items on their way into the system service and back, as the tools move them, while programs write.
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
        enable = service.enable
    }

    @Test("items, passcode and lock go to the service and back; a rehearsal says how many and changes nothing")
    func bothWays() throws {
        try fill()
        try setPasscode()
        let rehearsal = try shell.control("\(enable) --dry-run")
        #expect(rehearsal.output.contains("4 genp, 1 inet, 0 cert, 0 keys"), "\(rehearsal)")
        #expect(try shell.control("service status").output.contains("embedded"))
        #expect(access("\(service.store)/\(Self.anna)/keychain.db", F_OK) != 0)

        let former = try Data(contentsOf: URL(fileURLWithPath: "\(store)/root.key"))
        let enabled = try shell.control(enable)
        #expect(enabled.status == 0 && enabled.output.contains("now"), "\(enabled)")
        #expect(try Data(contentsOf: URL(fileURLWithPath: "\(store)/root.key")) != former)
        #expect(try secret("a").status == 36, "it is locked")
        #expect(try shell.security("unlock-keychain -p 1234").status == 0)
        try expectAll()
        #expect(try shell.security("find-internet-password -a a -s example.org -w").output == "inet\n")

        let rehearsedEnd = try shell.control("service disable --dry-run")
        #expect(rehearsedEnd.output.contains("4 genp, 1 inet, 0 cert, 0 keys"), "\(rehearsedEnd)")
        let status = try shell.control("service status")
        #expect(status.output.contains("serves a keychain"), "\(status)")
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
    }

    @Test("a move out of the service that fails once the passcode was entered leaves the keychain locked")
    func failedDisable() throws {
        try fill()
        try setPasscode()
        #expect(try shell.control(enable).status == 0)
        let process = try shell.process("keychainctl", ["service", "disable", "--passcode-stdin"])
        let input = Pipe()
        process.standardInput = input
        process.standardError = FileHandle.nullDevice
        try process.run()
        let writing = input.fileHandleForWriting
        #expect(ChildInput.write(Array("1".utf8), to: writing.fileDescriptor) == 0)
        let isAsked = eventually("it reads the passcode") {
            var count: Int32 = -1
            return ioctl(writing.fileDescriptor, UInt(FIONREAD), &count) == 0 && count == 0
        }
        #expect(isAsked)
        // Another service knows nothing of this move.
        try service.restart()
        #expect(ChildInput.write(Array("234\n".utf8), to: writing.fileDescriptor) == 0)
        try writing.close()
        process.waitUntilExit()
        #expect(process.terminationStatus == 1)
        #expect(try secret("a").status == 36)
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

    @Test("a home folder that was put back from a backup takes nothing away from the service, nor the service from it")
    func homeFromBackup() throws {
        try fill()
        #expect(try shell.run("/bin/cp", ["-a", store, "\(store).copy"]).status == 0)
        #expect(try shell.control(enable).status == 0)
        #expect(try shell.security("add-generic-password -a later -s service -w later").status == 0)
        #expect(try shell.run("/bin/mv", [store, "\(store).emptied"]).status == 0)
        #expect(try shell.run("/bin/mv", ["\(store).copy", store]).status == 0)
        let refused = try shell.control(enable)
        #expect(refused.status == 1 && refused.errors.contains("different items"), "\(refused)")
        try expectAll()

        #expect(try shell.run("/bin/mv", [store, "\(store).copy"]).status == 0)
        #expect(try shell.run("/bin/mv", ["\(store).emptied", store]).status == 0)
        try expectAll()
        #expect(try secret("later").output == "later\n")
    }

    /// Whose home folder a test puts back from a backup, of which time.
    enum Backup: CaseIterable {
        /// From before the keychain was moved to the service.
        case before
        /// From the midst of that: the home says that it is being moved.
        case during
    }

    @Test(
        "neither does one of any time, whether the service gives the keychain away or not, and it can go on alone",
        arguments: Backup.allCases,
        [true, false]
    )
    func homeFromBackupOfAnyTime(_ backup: Backup, _ isFrozen: Bool) throws {
        let root = try service.shell(of: 0)
        let home = service.path(of: "home-0/swift-keychain")
        #expect(try root.security("add-generic-password -a a -s service -w secret").status == 0)
        let own = EmbeddedKeychain(at: KeychainLocation(path: home), of: .embedded)
        if backup == .during {
            try own.handOver(to: .moving)
            try ServiceRecord(program: nil, socket: service.socket.path)
                .write(in: PrivateDirectory(KeychainLocation(path: home)))
        }
        #expect(try root.run("/bin/cp", ["-a", home, "\(home).copy"]).status == 0)
        #expect(try root.control(enable).status == 0)
        #expect(try root.security("add-generic-password -a later -s service -w later").status == 0)
        if isFrozen {
            // As a command leaves it that is killed after it was given the keychain.
            service.stop()
            let partition = KeychainLocation(path: "\(service.store)/0")
            #expect(try root.run("/bin/sh", ["-c", "chown -R 0:0 '\(partition.path)'"]).status == 0)
            try EmbeddedKeychain(at: partition, of: .system).handOver(to: .moving)
            let user = SystemServiceFolder.user
            #expect(try root.run("/bin/sh", ["-c", "chown -R \(user):\(user) '\(partition.path)'"]).status == 0)
            try service.start()
        }
        #expect(try root.run("/bin/mv", [home, "\(home).emptied"]).status == 0)
        #expect(try root.run("/bin/mv", ["\(home).copy", home]).status == 0)

        for line in [enable, "service disable --passcode-stdin"] {
            let refused = try root.control(line, input: "1234\n")
            let isUntouched = backup == .before && refused.errors.contains("embedded already")
            #expect(refused.status == 1, "\(refused)")
            #expect(refused.errors.contains("different items") || isUntouched, "\(refused)")
        }
        let owner = try EmbeddedKeychain.ofAnyOwner(at: KeychainLocation(path: home))?.moveStatus().owner
        #expect(owner == (backup == .before ? .embedded : .moving))
        // Without a store of the user's own, the service goes on with what it has.
        #expect(try root.run("/bin/mv", [home, "\(home).copy"]).status == 0)
        let enabled = try root.control(enable)
        #expect(enabled.status == 0, "\(enabled)")
        for (account, secret) in [("a", "secret"), ("later", "later")] {
            let found = try root.security("find-generic-password -a \(account) -s service -w")
            #expect(found.output == "\(secret)\n", "\(found)")
        }
    }

    @Test("what an interrupted move left in the home is removed without the service too, and the status shows it")
    func remainsWithoutService() throws {
        let root = try service.shell(of: 0)
        let home = service.path(of: "home-0/swift-keychain")
        #expect(try root.control(enable).status == 0)
        #expect(try root.security("add-generic-password -a a -s service -w secret").status == 0)
        let next = "\(home)/root.key." + String(repeating: "0a", count: 16)
        func leave() throws {
            #expect(try root.run("/bin/cp", ["-a", "\(service.store)/0/root.key", next]).status == 0)
            #expect(try root.run("/bin/chown", ["0:0", next]).status == 0)
            #expect(try root.run("/bin/mkdir", ["-m", "700", "\(home)/incoming"]).status == 0)
        }
        func expectRemoved() {
            #expect(access(next, F_OK) != 0 && access("\(home)/incoming", F_OK) != 0)
        }
        try leave()
        #expect(try root.control("service status").output.contains("a root key or rows of a move are left"))
        #expect(try root.control(enable).status == 0)
        expectRemoved()
        #expect(try !root.control("service status").output.contains("are left"))
        try leave()
        service.stop()
        let left = try root.control("service disable --leave-items")
        #expect(left.status == 0, "\(left)")
        expectRemoved()
        try leave()
        let tidied = try root.control("service disable")
        #expect(tidied.status == 0, "\(tidied)")
        expectRemoved()
        #expect(try root.control("service disable").status == 1, "nothing is left")
    }

    @Test("a move that was interrupted is not settled without the service, and the status shows both sides")
    func withoutService() throws {
        let root = try service.shell(of: 0)
        #expect(try root.security("add-generic-password -a a -s service -w secret").status == 0)
        let location = KeychainLocation(path: service.path(of: "home-0/swift-keychain"))
        try EmbeddedKeychain(at: location, device: DeviceOptions()).handOver(to: .moving)
        try ServiceRecord(program: nil, socket: service.socket.path).write(in: PrivateDirectory(location))
        service.stop()
        let unknown = try root.control("service status")
        #expect(unknown.status == 0 && unknown.output.contains("being moved"), "\(unknown)")
        #expect(unknown.output.contains("unknown: "), "\(unknown)")
        for line in ["service disable", "service disable --leave-items"] {
            let refused = try root.control(line)
            #expect(refused.status == 1 && refused.errors.contains("which may have all of it"), "\(refused)")
        }
        try service.start()
        let known = try root.control("service status")
        #expect(known.output.contains("has no keychain of this user"), "\(known)")
        #expect(try root.control("service disable").status == 0)
        #expect(try root.security("find-generic-password -a a -s service -w").output == "secret\n")
    }

    @Test(
        "a keychain of many rows that nobody can open makes the service no larger"
    )
    func memory() throws {
        let location = KeychainLocation(path: service.path(of: "own"))
        let own = EmbeddedKeychain(at: location, device: DeviceOptions())
        let item: PropertyDictionary = [
            "class": .string("genp"), "acct": .string("a"), PropertyKey.valueData: .data(SecretBytes([1])),
        ]
        _ = try own.perform(KeychainRequest(.add(item), client: Client(accessGroups: ["example"])))
        try own.handOver(to: .moving)
        let moving = EmbeddedKeychain(at: location, of: .moving)
        let sample = try #require(try moving.movedRows(after: nil).first)
        var device = try moving.movedDevice()
        let (messageCount, messageRowCount) = (64, 200)
        func rows(_ message: Int) -> [MovedRow] {
            (0..<messageRowCount).map { index in
                var row = sample
                row.number = Int64(message * messageRowCount + index + 1)
                // Each is another item.
                let tag = Bytes16(withUnsafeBytes(of: (row.number, row.number), Array.init)) ?? .zero
                (row.row.identifier, row.row.primaryKeyTag) = (tag, tag)
                row.row.secret = [UInt8](repeating: UInt8(truncatingIfNeeded: index), count: 4 << 10)
                return row
            }
        }
        var digest = RowDigest()
        device.rows.byteCount = 0
        for message in 0..<messageCount {
            for row in rows(message) {
                digest.add(row)
                device.rows.byteCount += row.row.byteCount
            }
        }
        device.rows.counts[0] = messageCount * messageRowCount
        device.rows.digest = digest.finish()

        let keychain = DaemonKeychain(at: service.socket)
        let identifier = Bytes16.random()
        _ = try keychain.perform(.maintenance(.move(.begin(identifier))))
        func perform(_ step: StoreMove.Step) throws -> KeychainReply {
            try keychain.perform(.maintenance(.move(.step(step, of: identifier))))
        }
        _ = try perform(.receive(device))
        let before = try peak()
        for message in 0..<messageCount { _ = try perform(.append(rows(message))) }
        _ = try perform(.activate)
        let growth = try peak() - before
        #expect(growth < 24 << 10, "\(growth) KiB for \(device.rows.byteCount >> 10) KiB of rows")
        guard case .moveStatus(let status) = try keychain.perform(.maintenance(.move(.status))) else {
            Issue.record("no status")
            return
        }
        #expect(status.itemCounts.first == messageCount * messageRowCount)
    }

    /// The largest number of KiB that the service has had in memory (`VmHWM`, proc_pid_status(5)).
    private func peak() throws -> Int {
        let status = try String(contentsOfFile: "/proc/\(service.process)/status", encoding: .utf8)
        let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") })
        return try #require(Int(line.split(separator: " ")[1]))
    }

    // MARK: Steps

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
