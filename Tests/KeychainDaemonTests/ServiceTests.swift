// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import KeychainCore
import KeychainHost
import KeychainOnDemand
import KeychainRouting
import KeychainTestSupport
import ServerTestSupport
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

    @Test("a command reports that the daemon has given the store another format, once")
    func storeVersion() throws {
        #expect(try shell.security("add-generic-password -a anna -s service -w before").status == 0)
        #expect(try shell.control("service enable").status == 0)
        let first = try shell.control("history keep 3 service/anna")
        #expect(first.status == 0 && first.errors.contains("the keychain's store has format 3.3"), "\(first)")
        let second = try shell.control("history keep 4 service/anna")
        #expect(second.status == 0 && !second.errors.contains("format"), "\(second)")
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
        #expect(wrong.errors.contains("recovery-key use") && wrong.errors.contains("device erase"), "\(wrong)")
        let right = try shell.security("unlock-keychain -p 1234 login.keychain")
        #expect(right == Shell.Outcome(status: 0, output: "", errors: ""))
        #expect(try secret("anna") == "token\n")

        #expect(try shell.control("device lock").status == 0)
        #expect(try shell.security("find-generic-password -a anna -s service -w").status == 36)
        let unlocked = try shell.control("device unlock --passcode-stdin", input: "1234\n")
        #expect(unlocked.output.contains("every program"), "\(unlocked)")
        #expect(try secret("anna") == "token\n")
    }

    @Test("enable and restart do not keep a daemon waiting that serves the Secret Service")
    func secretService() throws {
        let programs = try TemporaryFolder()
        let bus = folder.path(beside: "bus.sock")
        let keychaind = try DaemonFolder.program("keychaind")
        let script = "exec \(keychaind) --secret-service --bus \(bus) \"$@\"\n"
        var environment = shell.environment
        environment["SWIFT_KEYCHAIND"] = try programs.makeProgram("keychaind", script)
        let shell = Shell(environment: environment)
        let enabled = try shell.control("service enable")
        #expect(enabled.status == 0, "\(enabled)")
        let running = try #require(folder.record)
        #expect(access(bus, F_OK) == 0)
        let sameBus = bus.replacing("/bus.sock", with: "//bus.sock")
        let again = try shell.run("keychaind", ["--foreground", "--secret-service", "--bus", sameBus])
        #expect(again.status == 0 && again.errors.contains("already serves"), "\(again)")
        let restarted = try shell.control("service restart")
        #expect(restarted.status == 0, "\(restarted)")
        #expect(folder.record != nil && folder.record?.process != running.process)
        #expect(access(bus, F_OK) == 0)
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
        try folder.handOverToDaemon()
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
        try folder.handOverToDaemon()
        _ = try folder.parts().daemon.perform(.device(.status))
        let first = try #require(folder.record)
        #expect(unlink(folder.socket) == 0)
        _ = try folder.parts().daemon.perform(.device(.status))
        #expect(folder.record?.process != first.process)
    }

    @Test("a daemon without a record is shown, restarted and stopped, and records itself once it can")
    func withoutRecord() throws {
        try folder.handOverToDaemon()
        #expect(try shell.security("add-generic-password -a anna -s service -w token").status == 0)
        let record = "\(folder.location.path)/\(DaemonRecord.fileName)"
        let first = try #require(folder.record)
        #expect(unlink(record) == 0)
        // What a full disk does, too: the record cannot be written.
        #expect(mkdir(record, 0o700) == 0)
        let status = try shell.control("service status")
        #expect(status.output.contains("process \(first.process), unknown version"), "\(status)")
        let restarted = try shell.control("service restart")
        #expect(restarted.status == 0, "\(restarted)")
        let second = DaemonRecord.process(in: try PrivateDirectory(folder.location))
        #expect(second != nil && second != first.process)
        #expect(folder.record == nil)
        #expect(rmdir(record) == 0)
        #expect(eventually("it has a record") { folder.record != nil })
        #expect(unlink(record) == 0)
        let disabled = try shell.control("service disable")
        #expect(disabled.status == 0, "\(disabled)")
        #expect(try secret("anna") == "token\n")
    }

    /// Runs its arguments where this user may mount something.
    private static let ofItsOwn = ["/usr/bin/unshare", "--map-root-user", "--mount"]

    private static let mayMount =
        (try? Shell(environment: [:], prefix: ofItsOwn).run("/bin/mount", ["-t", "tmpfs", "none", "/mnt"]).status) == 0

    /// In a folder of 16 MiB; it prints what the test expects.
    private static let onFullDisk = #"""
        mount -t tmpfs -o size=16m,mode=700 none "$1"
        export SWIFT_KEYCHAIN_HOME="$1/keychain"
        record="$1/keychain/daemon.record"
        secret() { security find-generic-password -a anna -s service -w; }
        fill() { dd if=/dev/zero of="$1/fill" bs=4k 2>/dev/null || true; }
        security add-generic-password -a anna -s service -w token
        fill "$1"
        keychainctl service enable 2>&1 || true
        ls "$1/keychain" | grep -c '\.new$' || true
        secret
        rm "$1/fill"
        keychainctl service enable
        fill "$1"
        kill -9 $(head -n 1 "$record")
        secret
        keychainctl service status | grep -o 'unknown version'
        keychainctl service restart
        secret
        rm "$1/fill"
        keychainctl service disable
        secret
        """#

    @Test(
        "on a full disk, enable changes nothing, and a daemon that cannot record itself is restarted and disabled",
        .enabled(if: mayMount, "the kernel lets this user mount nothing")
    )
    func fullDisk() throws {
        let disk = folder.path(beside: "disk")
        #expect(mkdir(disk, 0o700) == 0)
        var environment = shell.environment
        let tools = URL(fileURLWithPath: try DaemonFolder.program("keychainctl")).deletingLastPathComponent().path
        environment["PATH"] = "\(tools):/usr/bin:/bin"
        let confined = Shell(environment: environment, prefix: Self.ofItsOwn)
        let outcome = try confined.run("/bin/sh", ["-euc", Self.onFullDisk, "sh", disk])
        #expect(outcome.status == 0, "\(outcome)")
        let lines = outcome.output.split(separator: "\n")
        #expect(lines.first?.contains("No space left on device") == true, "\(outcome)")
        #expect(
            lines.dropFirst() == [
                "0", "token", "The daemon owns the keychain now.", "token", "unknown version",
                "The daemon was restarted. The keychain is locked if a passcode is set.", "token",
                "The keychain is embedded now: each program opens it itself.", "token",
            ],
            "\(outcome)"
        )
    }

    @Test("a stopped daemon is shown and restarted, a lock of its keychain is one, and disable ends it")
    func stoppedDaemon() throws {
        try folder.handOverToDaemon()
        #expect(try shell.security("add-generic-password -a anna -s service -w token").status == 0)
        #expect(try shell.control("device set-passcode --passcode-stdin", input: "1234\n").status == 0)
        let first = try #require(folder.record)
        #expect(kill(first.process, SIGSTOP) == 0)
        let locked = try shell.control("device lock")
        #expect(
            locked.status == 0 && locked.output == "Locked.\n" && locked.errors.contains("does not respond"),
            "\(locked)"
        )
        let status = try shell.control("service status")
        #expect(status.status == 0 && status.output.contains("process \(first.process)"), "\(status)")
        #expect(status.output.contains("unknown: ") && status.output.contains("service restart"), "\(status)")
        #expect(kill(first.process, SIGCONT) == 0)
        #expect(try shell.security("find-generic-password -a anna -s service -w").status == 36)

        #expect(kill(first.process, SIGSTOP) == 0)
        let restarted = try shell.control("service restart")
        #expect(restarted.status == 0, "\(restarted)")
        let second = try #require(folder.record)
        #expect(second != first)
        #expect(kill(second.process, SIGSTOP) == 0)
        let disabled = try shell.control("service disable")
        #expect(disabled.status == 0, "\(disabled)")
        let left = "\(folder.location.path)/\(DaemonRecord.fileName)"
        #expect(access(left, F_OK) != 0, "it has ended by itself")
        let search = "\(try DaemonFolder.program("security")) find-generic-password -a anna -s service -w"
        let unlocked = try shell.control("device unlock --passcode-stdin -- \(search)", input: "1234\n")
        #expect(unlocked.output == "token\n", "\(unlocked)")
    }

    @Test("a process that has ended does not run, whether anybody has waited for it or not")
    func endedProcess() throws {
        let process = try HelperProcess("/bin/cat", [])
        #expect(ProcessStartTime.of(process.identifier) != nil)
        process.signal(SIGKILL)
        #expect(eventually("it has ended") { ProcessStartTime.of(process.identifier) == nil })
        #expect(access("/proc/\(process.identifier)", F_OK) == 0, "nobody has waited for it")
    }

    @Test("a daemon that ignores SIGTERM is killed once it has had its time")
    func deafDaemon() throws {
        let script = """
            import fcntl, os, signal, sys
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
            lock = open(sys.argv[1], "w")
            os.fchmod(lock.fileno(), 0o600)
            fcntl.flock(lock, fcntl.LOCK_EX)
            fcntl.lockf(lock, fcntl.LOCK_EX)
            print("holds", flush=True)
            signal.pause()
            """
        let directory = try PrivateDirectory(folder.location)
        let process = try shell.process("/usr/bin/python3", ["-c", script, directory.path(of: DaemonRecord.lockName)])
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        defer { kill(process.processIdentifier, SIGKILL) }
        #expect(!output.fileHandleForReading.availableData.isEmpty)
        #expect(DaemonRecord.process(in: directory) == process.processIdentifier)
        let lock = try DaemonRecord.stop(in: directory, until: Deadline(milliseconds: 300))
        process.waitUntilExit()
        #expect(process.terminationReason == .uncaughtSignal && process.terminationStatus == SIGKILL)
        _ = consume lock
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
