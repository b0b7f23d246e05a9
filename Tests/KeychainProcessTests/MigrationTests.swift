// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import KeychainCore
import KeychainEngine
import KeychainHost
import KeychainProtection
import KeychainTestSupport
import Testing

/// `keychainctl service enable` and `disable` while other programs write, killed at any step, as a dry run, and beside
/// another user's.
@Suite(.timeLimit(.minutes(30)))
struct MigrationTests {
    private static let programs = 8

    /// The files that `enable` and its daemon create in the folder of the store, in this order.
    private static let steps = ["service.lock", "service.record", "daemon.lock", "daemon.record"]

    private let folder: DaemonFolder
    private let shell: Shell

    init() throws {
        folder = try DaemonFolder(isEnabled: false)
        shell = try Shell.beside(folder)
    }

    @Test("eight programs that write while the keychain is handed over and back lose nothing, and none fails")
    func writers() throws {
        let programs = try (0..<Self.programs).map { number in
            let program = try StormProcess(folder.location.path)
            #expect(try program.ask("route").operation == "routed")
            try program.send("adds program\(number) 1000000")
            return program
        }
        var steps: [Step] = []
        for _ in 0..<2 {
            for command in ["enable", "disable"] {
                for program in programs { steps.append(try #require(try program.nextStep())) }
                let outcome = try shell.control("service \(command)")
                #expect(outcome.status == 0, "\(command): \(outcome)")
            }
        }
        for program in programs {
            steps.append(try #require(try program.nextStep()))
            try program.kill9()
            steps += try program.remainingSteps()
        }
        expectDone(steps)
        expectKept(steps.map(\.subject), in: try StormFolder.items(at: folder.location.path))
    }

    @Test(
        "a hand-over that is killed at a step leaves one owner with every item, and can be repeated",
        arguments: Self.steps
    )
    func killedEnable(_ step: String) throws {
        try fill()
        for _ in 0..<3 {
            try kill(try shell.process("keychainctl", ["service", "enable"]), at: step)
            try expectWhole()
            #expect(try shell.control("service enable").status == 0)
            try expectWhole()
            #expect(try shell.control("service disable").status == 0)
            // The next round creates each file again.
            for name in Self.steps { unlink("\(folder.location.path)/\(name)") }
        }
    }

    @Test("a 'disable' that is killed at any moment leaves one owner with every item")
    func killedDisable() throws {
        try fill()
        #expect(try shell.control("service enable").status == 0)
        let start = ContinuousClock.now
        #expect(try shell.control("service disable").status == 0)
        let whole = start.duration(to: .now).components
        let microseconds = whole.seconds * 1_000_000 + whole.attoseconds / 1_000_000_000_000
        for round in 0..<12 {
            #expect(try shell.control("service enable").status == 0)
            let process = try shell.process("keychainctl", ["service", "disable"])
            process.standardOutput = FileHandle.nullDevice
            process.standardError = FileHandle.nullDevice
            try process.run()
            // Waits for nothing: the delays distribute the kills over the whole command.
            usleep(useconds_t(microseconds * Int64(round) / 11))
            Glibc.kill(process.processIdentifier, SIGKILL)
            process.waitUntilExit()
            try expectWhole()
        }
    }

    @Test("a daemon that is killed while the store is handed over to it: one owner, and nothing is lost")
    func killedDaemon() throws {
        try fill()
        for _ in 0..<5 {
            let watch = try FolderWatch(folder.location.path, for: .newNames)
            let process = try shell.process("keychainctl", ["service", "enable"])
            process.standardOutput = FileHandle.nullDevice
            process.standardError = FileHandle.nullDevice
            try process.run()
            try wait(for: "daemon.record", watch)
            folder.end(by: SIGKILL)
            process.waitUntilExit()
            try expectWhole()
            #expect(try shell.control("service enable").status == 0)
            try expectWhole()
            #expect(try shell.control("service disable").status == 0)
        }
    }

    @Test("a dry run changes nothing: no byte, no file, no folder for the socket")
    func rehearsal() throws {
        try fill()
        let before = try contents()
        for command in ["enable", "disable", "restart"] {
            #expect(try shell.control("service \(command) --dry-run").status == 0)
            #expect(try contents() == before, "\(command)")
        }
        #expect(try shell.control("service enable").status == 0)
        let running = folder.record
        let enabled = try contents()
        for command in ["enable", "disable", "restart"] {
            #expect(try shell.control("service \(command) --dry-run").status == 0)
            #expect(try contents() == enabled, "\(command)")
        }
        #expect(folder.record == running)
        #expect(try shell.control("service disable").status == 0)
    }

    @Test(
        "two users' homes on one disk: what one hands over or takes back is never the other's",
        .enabled(if: geteuid() == 0, "only root becomes two users")
    )
    func twoUsers() throws {
        let base = try TemporaryFolder(prefix: "users")
        chmod(base.path(of: "."), 0o755)
        let users = try [61_001, 61_002].map { try User($0, in: base) }
        for user in users {
            let added = try user.shell.security("add-generic-password -a of\(user.number) -s service -w x")
            #expect(added.status == 0, "\(added)")
        }
        let (first, second) = (users[0], users[1])
        let before = try second.contents()
        #expect(try first.shell.control("service enable").status == 0)
        #expect(try second.contents() == before)
        #expect(try second.shell.control("service status").output.contains("embedded"))
        try second.expectItem()
        #expect(try second.shell.control("service enable").status == 0)
        let daemons = try users.map { try #require(try $0.record) }
        for (user, daemon) in zip(users, daemons) {
            #expect(try user.owner(of: daemon.process) == UInt32(user.number))
            try user.expectItem()
        }
        let during = try second.contents()
        #expect(try first.shell.control("service disable").status == 0)
        #expect(try second.contents() == during)
        #expect(try second.record == daemons[1])
        for user in users { try user.expectItem() }
        var environment = second.shell.environment
        environment["SWIFT_KEYCHAIN_HOME"] = first.store
        let intruder = Shell(environment: environment, prefix: second.prefix)
        for command in ["service enable", "service disable", "service audit on", "log"] {
            #expect(try intruder.control(command).status != 0, "\(command)")
        }
        #expect(try second.shell.control("service disable").status == 0)
        for user in users { try user.expectItem() }
    }

    private func fill() throws {
        for number in 0..<4 {
            #expect(try shell.security("add-generic-password -a \(number) -s service -w secret\(number)").status == 0)
        }
    }

    /// Starts a program, and kills it once a file of this name appears in the folder of the store.
    private func kill(_ process: Process, at name: String) throws {
        let watch = try FolderWatch(folder.location.path, for: .newNames)
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        try wait(for: name, watch)
        Glibc.kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }

    private func wait(for name: String, _ watch: FolderWatch) throws {
        let limit = ContinuousClock.now + .seconds(60)
        while try #require(watch.readChangedNames()).contains(name) == false {
            try #require(ContinuousClock.now < limit, "\(name) does not appear")
            watch.wait(milliseconds: 1_000)
        }
    }

    /// Expects one owner, and every item through it.
    private func expectWhole() throws {
        for number in 0..<4 {
            let found = try shell.security("find-generic-password -a \(number) -s service -w")
            #expect(found.output == "secret\(number)\n", "\(found)")
        }
        let owners = [StoreOwner.embedded, .daemon].filter { owner in
            var device = DeviceOptions()
            device.owner = owner
            return (try? EmbeddedKeychain(at: folder.location, device: device).checkOwner()) == true
        }
        #expect(owners.count == 1)
    }

    private func contents() throws -> [String: [String]] {
        try TreeContents.of([folder.location.path, folder.path(beside: "runtime")])
    }
}

/// A user with a home of their own.
private struct User {
    let number: Int
    let home: String
    let prefix: [String]
    let shell: Shell

    init(_ number: Int, in base: TemporaryFolder) throws {
        self.number = number
        home = base.path(of: "\(number)")
        for folder in [home, "\(home)/run"] {
            guard mkdir(folder, 0o700) == 0, chown(folder, uid_t(number), gid_t(number)) == 0 else {
                throw CocoaError(.fileWriteUnknown)
            }
        }
        prefix = ["/usr/bin/setpriv", "--reuid", "\(number)", "--regid", "\(number)", "--clear-groups", "--"]
        let environment = [
            "HOME": home, "XDG_RUNTIME_DIR": "\(home)/run", "SWIFT_KEYCHAIN_AUTHENTICATOR": "none",
            "PATH": "/usr/bin:/bin", "SWIFT_KEYCHAIND": try DaemonFolder.program("keychaind"),
        ]
        shell = Shell(environment: environment, prefix: prefix)
    }

    var store: String { "\(home)/.local/share/swift-keychain" }

    /// The daemon of the store, as its record says.
    var record: DaemonRecord? {
        get throws {
            guard let text = try? String(contentsOfFile: "\(store)/\(DaemonRecord.fileName)", encoding: .utf8) else {
                return nil
            }
            let lines = text.split(separator: "\n").map(String.init)
            guard lines.count == 5, let process = Int32(lines[0]), let startTime = UInt64(lines[1]) else { return nil }
            return DaemonRecord(process: process, startTime: startTime, version: lines[2], socket: lines[3])
        }
    }

    func contents() throws -> [String: [String]] { try TreeContents.of([home]) }

    func expectItem() throws {
        let found = try shell.security("find-generic-password -a of\(number) -s service -w")
        #expect(found.output == "x\n", "\(found)")
    }

    func owner(of process: Int32) throws -> UInt32 {
        var status = stat()
        try #require(stat("/proc/\(process)", &status) == 0)
        return status.st_uid
    }
}

/// Everything in folders: of each entry its kind and mode, its owner, and its bytes.
///
/// Except the bytes of SQLite's shared memory, in which each reader makes a mark, and which contains no data.
private enum TreeContents {
    static func of(_ folders: [String]) throws -> [String: [String]] {
        var contents: [String: [String]] = [:]
        for folder in folders {
            for name in try FileManager.default.subpathsOfDirectory(atPath: folder) {
                let path = "\(folder)/\(name)"
                var status = stat()
                try #require(lstat(path, &status) == 0)
                let isFile = status.st_mode & S_IFMT == S_IFREG && !name.hasSuffix("-shm")
                let bytes = isFile ? try Data(contentsOf: URL(fileURLWithPath: path)).base64EncodedString() : ""
                contents[path] = ["\(status.st_mode)", "\(status.st_uid)", bytes]
            }
        }
        return contents
    }
}
