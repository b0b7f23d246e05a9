// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import KeychainAudit
import KeychainClient
import KeychainCore
import KeychainEngine
import KeychainHost
import KeychainIdentity
import KeychainServer
import KeychainTestSupport
import KeychainWire
import ServerTestSupport
import Testing

@testable import KeychainDaemon

/// The audit log of the system service, as its users and root see it.
@Suite(.timeLimit(.minutes(10)))
struct SystemAuditTests {
    private static let anna: uid_t = 1
    private static let bert: uid_t = 2
    private static let isPossible = SystemServiceFolder.isPossible

    @Test(
        "each user sees the requests of their own programs, root sees all of them, and none has a secret",
        .enabled(if: isPossible, "only root runs programs as other users")
    )
    func users() throws {
        let service = try SystemServiceFolder(options: ["--audit"])
        let (anna, bert) = (try service.enabledShell(of: Self.anna), try service.enabledShell(of: Self.bert))
        #expect(try anna.security("add-generic-password -a hername -s service -w hers").status == 0)
        #expect(try bert.security("find-generic-password -a hisname -s service").status == 44)
        let hers = try log(anna, until: "  0  SecItemAdd genp")
        let his = try log(bert, until: "  -25300  SecItemCopyMatching genp")
        #expect(hers.contains("user 1,") && !hers.contains("user 2,"), "\(hers)")
        #expect(his.contains("user 2,") && !his.contains("user 1,"), "\(his)")

        let root = try service.shell(of: 0)
        let all = try root.control("log --all-users --json --store \(service.store)")
        #expect(all.status == 0 && all.output.contains(#""uid":1,"#) && all.output.contains(#""uid":2,"#), "\(all)")
        for secret in ["hername", "hisname", "hers"] { #expect(!all.output.contains(secret)) }
        let last = try root.control("log --all-users --last 1 --store \(service.store)")
        #expect(last.output.split(separator: "\n").count == 2, "\(last)")
        // A log that cannot be read hides no other.
        #expect(chmod("\(service.store)/\(Self.anna)/\(AuditFile.name)", 0o644) == 0)
        let rest = try root.control("log --all-users --store \(service.store)")
        #expect(rest.errors.contains("user 1 cannot be read") && rest.output.contains("user 2,"), "\(rest)")
        let refused = try anna.control("log --all-users --store \(service.store)")
        #expect(refused.status == 1 && refused.errors.contains("only root"), "\(refused)")
    }

    @Test(
        "a move of a keychain into the service and out of it is logged",
        .enabled(if: isPossible, "only root runs programs as other users")
    )
    func moves() throws {
        let service = try SystemServiceFolder(options: ["--audit"])
        let anna = try service.shell(of: Self.anna)
        #expect(try anna.security("add-generic-password -a name -s service -w hers").status == 0)
        let set = try anna.control("device set-passcode --passcode-stdin", input: "1234\n1234\n")
        #expect(set.status == 0, "\(set)")
        #expect(try anna.control(service.enable).status == 0)
        _ = try log(anna, until: "  0  move activate")
        let disabled = try anna.control("service disable --passcode-stdin", input: "1234\n")
        #expect(disabled.status == 0, "\(disabled)")
        let root = try service.shell(of: 0)
        let text = try log(root, "--all-users --store \(service.store)", until: "  0  move remove")
        for step in ["move begin", "move receive", "move activate", "move send"] {
            #expect(text.contains("  0  \(step)  "), "\(step) is not in \(text)")
        }
        #expect(!text.contains("1234"))
    }

    @Test(
        "without --audit nothing is logged, and the user is told so",
        .enabled(if: isPossible, "only root runs programs as other users")
    )
    func off() throws {
        let service = try SystemServiceFolder()
        let anna = try service.enabledShell(of: Self.anna)
        #expect(try anna.security("add-generic-password -a name -s service -w hers").status == 0)
        let log = try anna.control("log")
        #expect(log.status == 0 && log.output.isEmpty && log.errors.contains("does not log"), "\(log)")
        #expect(access("\(service.store)/\(Self.anna)/\(AuditFile.name)", F_OK) != 0)
        let set = try anna.control("service audit on")
        #expect(set.status == 1 && set.errors.contains("--audit"), "\(set)")
    }

    @Test("a user gets their own entries in pages of bounded size, without attributes of items")
    func pages() throws {
        let folder = try TemporaryFolder()
        let mine = try PrivateDirectory(KeychainLocation(path: folder.path(of: "\(geteuid())")))
        let other = try PrivateDirectory(KeychainLocation(path: folder.path(of: "\(geteuid() + 1)")))
        let program = String(repeating: "p", count: 1000)
        for (folder, user) in [(mine, geteuid()), (other, geteuid() + 1)] {
            var file = AuditFile(in: folder, maximumBytes: Partition.maximumAuditBytes)
            let caller = AuditCaller(user: user, process: 1, program: program, identity: AuditCaller.anonymous)
            var entries = (0..<1500).map { number in
                AuditEntry.call(
                    AuditRecord(
                        time: .now,
                        caller: caller,
                        operation: "SecItemAdd",
                        status: Int32(number),
                        attributes: [.account: "anna"]
                    )
                )
            }[...]
            try file.append(&entries)
        }
        var options = PartitionOptions()
        options.folder = folder.path
        options.audit = AuditSettings(attributes: [.account])
        options.accountName = { "user\($0)" }
        options.identities = { (_) throws(KeychainError) in try IdentityService(IdentityOptions(), folder: nil) }
        let server = try TestServer(admission: SystemAdmission(options))
        let keychain = server.client()
        var (last, statuses, pageCount): (Int, [Int32], Int) = (0, [], 0)
        while true {
            guard case .auditPage(let page) = try keychain.perform(.maintenance(.auditLog(after: last))) else {
                Issue.record("another reply")
                return
            }
            #expect(page.isOn)
            if page.lines.isEmpty { break }
            #expect(page.lines.reduce(0) { $0 + $1.utf8.count } <= AuditPage.byteCount)
            try #require(page.end > last)
            for line in page.lines {
                guard case .call(let record)? = AuditEntry(line: line.utf8) else { continue }
                #expect(record.caller.user == geteuid() && record.attributes.isEmpty)
                statuses.append(record.status)
            }
            last = page.end
            pageCount += 1
        }
        #expect(pageCount > 1)
        #expect(statuses == (0..<1500).map(\.self))
    }

    @Test("a sandbox is not shown which programs the user runs")
    func sandbox() throws {
        let program = UserProgram(
            ProcessInstance(identifier: getpid(), startTime: 1),
            as: ClientIdentity(.anonymous, isConfined: true, isSandboxed: true),
            keychain: EmbeddedKeychain.inMemory(),
            proofs: PasscodeProofs(),
            life: DaemonLife(endsWhenIdleFor: nil, holdsKeys: { false }, wake: {}),
            isSystemService: true
        )
        let refusal = #expect(throws: KeychainError.self) {
            try program.permitted(.maintenance(.auditLog(after: 0)))
        }
        #expect(refusal?.status == .missingEntitlement)
    }

    @Test("an account that has got the user ID of another one is not shown that one's log")
    func otherAccount() throws {
        let folder = try TemporaryFolder()
        var options = PartitionOptions()
        options.folder = folder.path
        options.audit = AuditSettings()
        options.identities = { (_) throws(KeychainError) in try IdentityService(IdentityOptions(), folder: nil) }
        options.accountName = { (_) in "anna" }
        let former = try TestServer(admission: SystemAdmission(options))
        _ = try former.client().device.status()
        #expect(access(folder.path(of: "\(geteuid())/\(PartitionAccount.fileName)"), F_OK) == 0)
        options.accountName = { (_) in "bert" }
        let server = try TestServer(admission: SystemAdmission(options))
        #expect(throws: KeychainError.self) { try server.client().perform(.maintenance(.auditLog(after: 0))) }
    }

    /// The log, once it contains a text: it is written after the reply.
    private func log(_ shell: Shell, _ options: String = "", until text: String) throws -> String {
        let limit = ContinuousClock.now + .seconds(60)
        while true {
            let log = try shell.control("log \(options)")
            #expect(log.status == 0, "\(log)")
            if log.output.contains(text) { return log.output }
            try #require(ContinuousClock.now < limit, "\(text) is not in \(log)")
        }
    }
}
