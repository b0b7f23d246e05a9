// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import HostFiles
import KeychainCore
import KeychainDefaultBackend
import KeychainTestSupport
import Testing

/// The daemon as its users meet it: the tools of this build, one process after the other.
@Suite(.timeLimit(.minutes(20)))
struct ServiceTests {
    private let folder: DaemonFolder
    private let shell: Shell

    init() throws {
        folder = try DaemonFolder(isEnabled: false)
        shell = try Shell.beside(folder)
    }

    @Test("enable makes the keychain over, programs go on with all their items, and disable takes it back")
    func thereAndBack() throws {
        #expect(try shell.security("add-generic-password -a anna -s service -w before").status == 0)
        let rehearsal = try shell.control("service enable --dry-run")
        #expect(rehearsal.status == 0 && rehearsal.output.contains("hand the store over"), "\(rehearsal)")
        #expect(try shell.control("service status").output.contains("embedded"))

        let enabled = try shell.control("service enable")
        #expect(enabled.status == 0, "\(enabled)")
        let running = try #require(folder.record)
        let status = try shell.control("service status")
        #expect(status.output.contains("process \(running.process)"), "\(status)")
        #expect(status.output.contains(running.socket), "\(status)")
        #expect(try secret("anna") == "before\n")
        #expect(try shell.security("add-generic-password -a bert -s service -w through").status == 0)
        #expect(folder.record == running, "one daemon serves them all")
        #expect(try shell.control("service enable").output.contains("already"))

        let restarted = try shell.control("service restart")
        #expect(restarted.status == 0, "\(restarted)")
        #expect(folder.record?.process != running.process)
        #expect(try secret("bert") == "through\n")

        let disabled = try shell.control("service disable")
        #expect(disabled.status == 0, "\(disabled)")
        #expect(folder.record == nil)
        #expect(try secret("anna") == "before\n")
        #expect(try secret("bert") == "through\n")
        #expect(folder.record == nil, "nothing starts a daemon any more")
        #expect(try shell.control("service disable").status == 1)
        #expect(try shell.control("service restart").status == 1)
    }

    @Test("an unlock in one process and a read in the next, as continuous integration does it; a lock is for all")
    func sharedUnlock() throws {
        #expect(try shell.control("service enable").status == 0)
        #expect(try shell.security("add-generic-password -a anna -s service -w token").status == 0)
        let passcode = try shell.control("device set-passcode --passcode-stdin", input: "1234\n1234\n")
        #expect(passcode.status == 0, "\(passcode)")
        #expect(try secret("anna") == "token\n")

        #expect(try shell.security("lock-keychain").status == 0)
        let locked = try shell.security("find-generic-password -a anna -s service -w")
        #expect(locked.status == 36 && locked.output.isEmpty, "\(locked)")
        #expect(locked.errors.contains("security unlock-keychain"), "\(locked)")
        let wrong = try shell.security("unlock-keychain -p wrong")
        #expect(wrong.status == 51, "\(wrong)")
        let right = try shell.security("unlock-keychain -p 1234 login.keychain")
        #expect(right == Shell.Outcome(status: 0, output: "", errors: ""))
        #expect(try secret("anna") == "token\n")

        #expect(try shell.control("device lock").status == 0)
        #expect(try shell.security("find-generic-password -a anna -s service -w").status == 36)
        let unlocked = try shell.control("device unlock --passcode-stdin", input: "1234\n")
        #expect(unlocked.output.contains("every program"), "\(unlocked)")
        #expect(try secret("anna") == "token\n")
    }

    @Test("without a daemon to start, enable says so and leaves everything as it is")
    func noProgram() throws {
        var environment = shell.environment
        environment["SWIFT_KEYCHAIND"] = "/nonexistent/keychaind"
        let poor = Shell(environment: environment)
        #expect(try shell.security("add-generic-password -a anna -s service -w before").status == 0)
        let refused = try poor.control("service enable")
        #expect(refused.status == 1 && refused.errors.contains("/nonexistent/keychaind"), "\(refused)")
        environment["SWIFT_KEYCHAIND"] = "/bin/false"
        let failed = try Shell(environment: environment).control("service enable")
        #expect(failed.status == 1 && failed.errors.contains("could not be started"), "\(failed)")
        #expect(try secret("anna") == "before\n")
        #expect(try shell.control("service status").output.contains("embedded"))
    }

    @Test("what an enable or disable that was killed has left is removed by disable, which says so")
    func remains() throws {
        #expect(try shell.security("add-generic-password -a anna -s service -w before").status == 0)
        let directory = try PrivateDirectory(folder.location)
        try ServiceRecord(program: DaemonFolder.program("keychaind"), socket: folder.socket).write(in: directory)
        #expect(try shell.control("service disable --dry-run").output.contains("interrupted"))
        let disabled = try shell.control("service disable")
        #expect(disabled.status == 0 && disabled.output.contains("left of the daemon was removed"), "\(disabled)")
        #expect(ServiceRecord(in: directory) == nil)
        #expect(try secret("anna") == "before\n")
        #expect(try shell.control("service disable").status == 1)
    }

    @Test("a program that runs on finds a daemon that listens elsewhere by now")
    func movedSocket() throws {
        try folder.makeOver()
        let running = folder.parts().daemon
        _ = try running.perform(.device(.status))
        _ = try running.performByRunning(.device(.status))
        #expect(folder.end(by: SIGTERM))
        let socket = folder.path(beside: "elsewhere/keychaind.sock")
        let record = ServiceRecord(program: try DaemonFolder.program("keychaind"), socket: socket)
        try record.write(in: PrivateDirectory(folder.location))
        _ = try folder.parts().daemon.perform(.device(.status))
        #expect(folder.record?.socket == socket)
        _ = try running.perform(.device(.status))
        _ = try running.performByRunning(.device(.status))
    }

    @Test("a daemon whose socket was taken away ends, and the next program starts another")
    func removedSocket() throws {
        try folder.makeOver()
        _ = try folder.parts().daemon.perform(.device(.status))
        let first = try #require(folder.record)
        #expect(unlink(folder.socket) == 0)
        _ = try folder.parts().daemon.perform(.device(.status))
        #expect(folder.record?.process != first.process)
    }

    @Test("how programs reach the daemon is written down with the unit of systemd that listens, if one does")
    func record() throws {
        let directory = try PrivateDirectory(folder.location)
        for unit in [nil, "swift-keychain.socket"] {
            let record = ServiceRecord(program: "/usr/bin/keychaind", socket: "/run/s", unit: unit)
            try record.write(in: directory)
            #expect(ServiceRecord(in: directory) == record)
        }
        try ServiceRecord(program: "/usr/bin/keychaind", socket: "/run/s", unit: "--help").write(in: directory)
        #expect(ServiceRecord(in: directory)?.unit == nil)
        ServiceRecord.remove(in: directory)
    }

    @Test("a program that is started in the folder of another user's, or by a relative path, is not believed")
    func untrustedProgram() throws {
        let folder = self.folder.path(beside: "open")
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
        try FileManager.default.copyItem(atPath: "/bin/false", toPath: "\(folder)/keychaind")
        chmod(folder, 0o777)
        for path in ["\(folder)/keychaind", "keychaind", "./keychaind"] {
            var environment = shell.environment
            environment["SWIFT_KEYCHAIND"] = path
            let refused = try Shell(environment: environment).control("service enable")
            #expect(refused.status == 1 && !refused.errors.contains("could not be started"), "\(refused)")
        }
    }

    private func secret(_ account: String) throws -> String {
        try shell.security("find-generic-password -a \(account) -s service -w").output
    }
}
