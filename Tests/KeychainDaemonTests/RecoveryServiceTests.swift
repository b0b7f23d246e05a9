// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import KeychainAudit
import KeychainCore
import KeychainHost
import KeychainTestSupport
import ServerTestSupport
import Testing

/// A recovery key and an erasure through the daemon: the tools of this build, one process after the other.
@Suite(.timeLimit(.minutes(20)))
struct RecoveryServiceTests {
    private let folder: DaemonFolder
    private let shell: Shell

    init() throws {
        folder = try DaemonFolder(isEnabled: false)
        shell = try Shell.beside(folder)
    }

    @Test("a keychain is recovered through its daemon, also where the root key is lost, and everything is logged")
    func recovery() throws {
        #expect(try shell.control("service enable").status == 0)
        #expect(try shell.control("service audit on").status == 0)
        try fill(shell)
        let created = try shell.control("recovery-key create --passcode-stdin --output-fd 1", input: "1234\n")
        #expect(created.status == 0, "\(created)")
        let key = created.output
        #expect(try shell.control("device status").output.contains("Recovery key:     made 2"))
        #expect(try shell.control("recovery-key check --recovery-stdin", input: key).status == 0)
        let other = String(decoding: RecoveryKey.random().text.unprotectedCopy, as: UTF8.self)
        #expect(try shell.control("recovery-key check --recovery-stdin", input: other).status == 1)

        let next = try recover(with: key)
        #expect(try shell.security("find-generic-password -a anna -s service -w").output == "token\n")

        // The daemon starts without the root key as well: to get another one.
        try folder.whileStopped { #expect(unlink("\(folder.location.path)/root.key") == 0) }
        let lost = try shell.security("find-generic-password -a anna -s service -w")
        #expect(lost.status != 0 && lost.errors.contains("recovery-key use"), "\(lost)")
        let last = try recover(with: next)
        #expect(try shell.security("find-generic-password -a anna -s service -w").output == "token\n")
        #expect(try shell.control("recovery-key check --recovery-stdin", input: next).status == 1)

        #expect(try shell.control("service disable").status == 0)
        #expect(try shell.control("recovery-key check --recovery-stdin", input: last).status == 0)
        #expect(try shell.control("service enable").status == 0)
        #expect(try shell.control("recovery-key check --recovery-stdin", input: last).status == 0)
        let removed = try shell.control("recovery-key remove --passcode-stdin", input: "new passcode\n")
        #expect(removed.status == 0, "\(removed)")
        let log = try log(until: "recovery key remove")
        for operation in ["create", "check", "use"] {
            #expect(log.contains("\"operation\":\"recovery key \(operation)\""))
        }
        #expect(log.split(separator: "\n").contains { $0.contains("recovery key check") && $0.contains("-25293") })
        #expect(!log.contains("SKR1"))
    }

    @Test("a device is erased through its daemon, without the passcode, and the daemon goes on with an empty keychain")
    func erasure() throws {
        #expect(try shell.control("service enable").status == 0)
        #expect(try shell.control("service audit on").status == 0)
        try fill(shell)
        let running = folder.record
        #expect(try shell.control("device erase").status == 2)
        let erased = try shell.control("device erase --yes")
        #expect(erased.status == 0 && erased.errors.contains("1 item and the passcode"), "\(erased)")
        #expect(folder.record == running)
        #expect(try shell.security("find-generic-password -a anna -s service -w").status == 44)
        #expect(try shell.control("device status").output.contains("not set"))
        #expect(try shell.security("add-generic-password -a bert -s service -w later").status == 0)
        #expect(try log(until: "device erase").contains("device set passcode"), "the log of before stays")

        // Without its root key the daemon starts, and erases.
        try folder.whileStopped { #expect(unlink("\(folder.location.path)/root.key") == 0) }
        #expect(try shell.control("device erase --yes").status == 0)
        #expect(try shell.security("find-generic-password -a bert -s service -w").status == 44)
        #expect(try shell.control("service status").output.contains("daemon"))
    }

    private func fill(_ shell: Shell) throws {
        #expect(try shell.security("add-generic-password -a anna -s service -w token").status == 0)
        #expect(try shell.control("device set-passcode --passcode-stdin", input: "1234\n").status == 0)
    }

    /// Uses a recovery key.
    ///
    /// - Returns: The next one.
    private func recover(with key: String) throws -> String {
        let words = "recovery-key use --recovery-stdin --passcode-stdin --output-fd 1"
        let used = try shell.control(words, input: key + "new passcode\n")
        #expect(used.status == 0 && used.output.hasPrefix("SKR1-"), "\(used)")
        return used.output
    }

    /// The log, once it has an entry of an operation: it is written after the reply.
    private func log(until operation: String) throws -> String {
        for _ in 0..<600 {
            let log = try shell.control("log --json --last 500").output
            if log.contains("\"operation\":\"\(operation)\"") { return log }
            usleep(50_000)
        }
        Issue.record("'\(operation)' is not in the log")
        return ""
    }
}

/// The same in the system service.
@Suite(
    .enabled(if: SystemServiceFolder.isPossible, "only root runs programs as other users"),
    .timeLimit(.minutes(10))
)
struct SystemRecoveryTests {
    private static let anna: uid_t = 1

    @Test("in the system service a keychain is recovered and erased by its own user, also where its root key is lost")
    func service() throws {
        let service = try SystemServiceFolder()
        let (anna, bert) = (try service.enabledShell(of: Self.anna), try service.enabledShell(of: 2))
        for shell in [anna, bert] {
            #expect(try shell.security("add-generic-password -a name -s service -w token").status == 0)
        }
        // Nobody is the owner before there is a passcode.
        #expect(try anna.control("recovery-key create --output-fd 1").status == 1)
        #expect(try anna.control("device set-passcode --passcode-stdin", input: "1234\n").status == 0)
        let created = try anna.control("recovery-key create --passcode-stdin --output-fd 1", input: "1234\n")
        #expect(created.status == 0, "\(created)")
        #expect(try bert.control("recovery-key check --recovery-stdin", input: created.output).status == 1)

        let words = "recovery-key use --recovery-stdin --passcode-stdin --output-fd 1"
        let used = try anna.control(words, input: created.output + "5678\n")
        #expect(used.status == 0, "\(used)")
        #expect(try anna.security("find-generic-password -a name -s service -w").output == "token\n")
        #expect(unlink("\(service.store)/\(Self.anna)/root.key") == 0)
        try service.restart()
        #expect(try anna.security("find-generic-password -a name -s service -w").status != 0)
        let again = try anna.control(words, input: used.output + "9012\n")
        #expect(again.status == 0, "\(again)")
        #expect(try anna.security("find-generic-password -a name -s service -w").output == "token\n")

        let refused = try anna.control("device erase --yes")
        let forRoot = "SWIFT_KEYCHAIN_HOME=/var/lib/swift-keychain/\(Self.anna) keychainctl device erase"
        #expect(refused.status == 1 && refused.errors.contains(forRoot), "\(refused)")
        let wrong = try anna.control("device erase --yes --passcode-stdin", input: "1234\n")
        #expect(wrong.status == 1 && wrong.errors.contains("passcode is wrong"), "\(wrong)")
        #expect(try anna.security("find-generic-password -a name -s service -w").output == "token\n")
        let erased = try anna.control("device erase --yes --passcode-stdin", input: "9012\n")
        #expect(erased.status == 0 && erased.errors.contains("first program that sets one is the owner"), "\(erased)")
        #expect(try anna.security("find-generic-password -a name -s service -w").status == 44)
        #expect(try anna.security("add-generic-password -a name -s service -w later").status == 0)
        #expect(try bert.security("find-generic-password -a name -s service -w").output == "token\n")
    }

    @Test("without the passcode root alone erases a keychain of the service, which goes on with an empty one")
    func rootErases() throws {
        let service = try SystemServiceFolder()
        let anna = try service.enabledShell(of: Self.anna)
        #expect(try anna.security("add-generic-password -a name -s service -w token").status == 0)
        #expect(try anna.control("device set-passcode --passcode-stdin", input: "1234\n").status == 0)
        let folder = "\(service.store)/\(Self.anna)"
        func asRoot(_ words: String, in folder: String = folder) throws -> Shell.Outcome {
            let environment = ["SWIFT_KEYCHAIN_HOME": folder, "PATH": "/usr/bin:/bin"]
            let prefix = SystemServiceFolder.asUser(SystemServiceFolder.user)
            return try Shell(environment: environment, prefix: prefix).control(words)
        }
        #expect(try asRoot("device erase").status == 2, "it asks here as well")
        // Where the service runs, and where it starts later.
        for round in 0..<2 {
            if round == 1 { service.stop() }
            let erased = try asRoot("device erase --yes")
            #expect(erased.status == 0 && erased.errors.contains("1 item and the passcode"), "\(erased)")
            if round == 1 { try service.start() }
            let status = try anna.control("device status")
            #expect(status.status == 0 && status.output.contains("not set"), "\(status)")
            #expect(try anna.security("find-generic-password -a name -s service -w").status == 44)
            #expect(try anna.security("add-generic-password -a name -s service -w later").status == 0)
            let set = try anna.control("device set-passcode --passcode-stdin", input: "another\n")
            #expect(set.status == 0, "\(set)")
        }
        // One that was left there by 'disable --leave-items', with a passcode of another program.
        #expect(try anna.control("service disable --leave-items").status == 0)
        let left = try asRoot("device erase --yes")
        #expect(left.status == 0, "\(left)")
        let enabled = try anna.control(service.enable)
        #expect(enabled.status == 0 && enabled.errors.contains("No passcode is set."), "\(enabled)")
    }
}
