// SPDX-License-Identifier: Apache-2.0

import CStormSupport
import Foundation
import Glibc
import KeychainClient
import KeychainCore
import KeychainEngine
import KeychainHost
import KeychainProtection
import KeychainRouting
import KeychainTestSupport
import KeychainWire
import ServerTestSupport
import Testing

/// The system service as its users meet it: the tools of this build, run by two users beside a service that is run by a
/// third.
@Suite(
    .enabled(if: SystemServiceFolder.isPossible, "only root runs programs as other users"),
    .timeLimit(.minutes(10))
)
struct SystemServiceTests {
    private static let anna: uid_t = 1
    private static let bert: uid_t = 2

    @Test("each user has a keychain, and reaches no other; it outlives the service")
    func partitions() throws {
        let service = try SystemServiceFolder()
        let (anna, bert) = (try service.enabledShell(of: Self.anna), try service.enabledShell(of: Self.bert))
        let added = try anna.security("add-generic-password -a name -s service -w hers")
        #expect(added.status == 0, "\(added)")
        #expect(try secret(bert).status == 44)
        #expect(try bert.security("add-generic-password -a name -s service -w his").status == 0)
        #expect(try secret(anna).output == "hers\n")
        #expect(try secret(bert).output == "his\n")
        #expect(throws: KeychainError.self) { try Self.read(DaemonKeychain(at: service.socket)) }

        try service.restart()
        #expect(try secret(anna).output == "hers\n")
        #expect(try bert.security("delete-generic-password -a name -s service").status == 0)
        #expect(try secret(anna).output == "hers\n")
    }

    @Test("a program of a user reads no file and no memory of the service, does not trace it, and takes no descriptor")
    func attacks() throws {
        let service = try SystemServiceFolder()
        let anna = try service.enabledShell(of: Self.anna)
        #expect(try anna.security("add-generic-password -a name -s service -w hers").status == 0)
        let file = "\(service.store)/\(Self.anna)/keychain.db"
        var status = stat()
        #expect(stat(file, &status) == 0 && status.st_uid == SystemServiceFolder.user)
        var found = storm_attack_outcomes()
        #expect(storm_attack(Self.anna, service.process, file, &found) == 0)
        #expect(found.file == EACCES)
        #expect(found.memory == EACCES && found.mappings == EACCES && found.descriptor == EACCES)
        #expect(found.reading == EPERM && found.tracing == EPERM && found.stealing == EPERM && found.killing == EPERM)
        // The file is there to be read, by whom it belongs to.
        #expect(storm_attack(SystemServiceFolder.user, service.process, file, &found) == 0)
        #expect(found.file == 0 && found.killing == 0)
        #expect(found.memory == EACCES && found.reading == EPERM && found.tracing == EPERM)
    }

    @Test("a lock is for all programs of one user, and for no other user's")
    func locks() throws {
        let service = try SystemServiceFolder()
        let (anna, bert) = (try service.enabledShell(of: Self.anna), try service.enabledShell(of: Self.bert))
        for shell in [anna, bert] {
            #expect(try shell.security("add-generic-password -a name -s service -w token").status == 0)
        }
        let set = try anna.control("device set-passcode --passcode-stdin", input: "1234\n1234\n")
        #expect(set.status == 0, "\(set)")
        #expect(try anna.security("lock-keychain").status == 0)
        #expect(try secret(anna).status == 36)
        #expect(try secret(bert).output == "token\n")
        #expect(try anna.security("unlock-keychain -p 1234") == Shell.Outcome(status: 0, output: "", errors: ""))
        #expect(try secret(anna).output == "token\n")
    }

    @Test("an empty keychain goes to the service and back, and items are left in neither place by mistake")
    func enabling() throws {
        let service = try SystemServiceFolder()
        let anna = try service.shell(of: Self.anna)
        let enable = service.enable
        let nobody = try anna.control(
            "service enable --system --no-passcode --socket \(service.socket.folder)/none.sock"
        )
        #expect(nobody.status == 1 && nobody.errors.contains("no keychain daemon listens"), "\(nobody)")
        let rehearsal = try anna.control("\(enable) --dry-run")
        #expect(rehearsal.status == 0 && rehearsal.output.contains("hand the empty keychain over"), "\(rehearsal)")
        #expect(try anna.control("service status").output.contains("embedded"))
        #expect(try anna.control(enable).output.contains("now"))
        #expect(try anna.control(enable).output.contains("already"))
        let status = try anna.control("service status")
        #expect(status.output.contains("owned by the system service"), "\(status)")
        #expect(status.output.contains(service.socket.path), "\(status)")

        #expect(try anna.security("add-generic-password -a name -s service -w there").status == 0)
        let kept = try anna.control("service disable")
        #expect(kept.status == 1 && kept.errors.contains("set one first"), "\(kept)")
        #expect(try secret(anna).output == "there\n")
        #expect(try anna.control("service disable --leave-items").status == 0)
        #expect(try secret(anna).status == 44)
        #expect(try anna.control(enable).status == 0)
        #expect(try secret(anna).output == "there\n")
        #expect(try anna.security("delete-generic-password -a name -s service").status == 0)
        #expect(try anna.control("service disable").status == 0)
        #expect(try anna.control("service status").output.contains("embedded"))
    }

    @Test("enable --system sets a passcode, asks for it before anything is moved, and lets it be declined")
    func enablingWithPasscode() throws {
        let service = try SystemServiceFolder()
        let anna = try service.shell(of: Self.anna)
        let enable = "service enable --system --socket \(service.socket.path)"
        #expect(try anna.security("add-generic-password -a name -s service -w hers").status == 0)
        let nobody = try anna.control(enable)
        #expect(nobody.status == 1 && nobody.errors.contains("decline it by --no-passcode"), "\(nobody)")
        let empty = try anna.control("\(enable) --passcode-stdin", input: "\n")
        #expect(empty.status == 1 && empty.errors.contains("passcode is empty"), "\(empty)")
        let both = try anna.control("\(enable) --passcode-stdin --no-passcode", input: "1234\n")
        #expect(both.status == 2, "\(both)")
        #expect(try anna.control("service enable --no-passcode").status == 2)
        #expect(try anna.control("service status").output.contains("embedded"))
        #expect(try anna.control("\(enable) --dry-run").output.contains("set the passcode"))

        let enabled = try anna.control("\(enable) --passcode-stdin", input: "1234\n")
        #expect(enabled.status == 0 && enabled.output.contains("The passcode is set."), "\(enabled)")
        #expect(try secret(anna).output == "hers\n")
        let again = try anna.control(enable)
        #expect(again.status == 0 && again.output.contains("already"), "\(again)")
        // The two commands by which any program of the user would be the owner of a keychain without a passcode.
        let set = try anna.control("device set-passcode --passcode-stdin", input: "4321\n")
        #expect(set.status == 1 && set.errors.contains("set already"), "\(set)")
        let taken = try anna.control("service disable --passcode-stdin", input: "4321\n")
        #expect(taken.status == 1 && taken.errors.contains("wrong"), "\(taken)")
        #expect(try anna.control("service status").output.contains("serves a keychain"))

        #expect(try anna.control("service disable --passcode-stdin", input: "1234\n").status == 0)
        #expect(try anna.control(enable).status == 0, "it has its passcode already, and nobody is asked")
    }

    @Test("a passcode that is found in the service is pointed out, and one that was declined as missing")
    func foundPasscode() throws {
        let service = try SystemServiceFolder()
        let anna = try service.shell(of: Self.anna)
        let declined = try anna.control(service.enable)
        #expect(declined.status == 0 && declined.errors.contains("No passcode is set."), "\(declined)")
        #expect(try anna.control("device set-passcode --passcode-stdin", input: "4321\n").status == 0)
        #expect(try anna.control("service disable --leave-items").status == 0)
        let enabled = try anna.control("service enable --system --socket \(service.socket.path)")
        #expect(enabled.status == 0 && enabled.errors.contains("has a passcode already"), "\(enabled)")
        // As after an interruption between the move and the passcode, in which another program set one.
        let again = try anna.control(
            "service enable --system --passcode-stdin --socket \(service.socket.path)",
            input: "1234\n"
        )
        #expect(again.status == 0 && again.errors.contains("has a passcode already"), "\(again)")
    }

    @Test("a passcode that was moved with the keychain is not taken for another program's")
    func movedPasscode() throws {
        let service = try SystemServiceFolder()
        let anna = try service.shell(of: Self.anna)
        #expect(try anna.security("add-generic-password -a name -s service -w hers").status == 0)
        #expect(try anna.control("device set-passcode --passcode-stdin", input: "1234\n").status == 0)
        let enabled = try anna.control(
            "service enable --system --passcode-stdin --socket \(service.socket.path)",
            input: "4321\n"
        )
        #expect(enabled.status == 0 && enabled.errors.contains("given is not used"), "\(enabled)")
        #expect(enabled.errors.contains("it is locked") && !enabled.errors.contains("another program"), "\(enabled)")
        #expect(try anna.control("device unlock --passcode-stdin", input: "1234\n").status == 0)
    }

    @Test("a recovery key that was left before is named once the service has the keychain", arguments: [false, true])
    func movedRecoveryKey(_ hasPasscode: Bool) throws {
        let service = try SystemServiceFolder()
        let anna = try service.shell(of: Self.anna)
        #expect(try anna.security("add-generic-password -a name -s service -w hers").status == 0)
        #expect(try anna.control("recovery-key create --output-fd 1").status == 0)
        if hasPasscode {
            #expect(try anna.control("device set-passcode --passcode-stdin", input: "1234\n").status == 0)
        }
        let enabled = try anna.control(
            "service enable --system --socket \(service.socket.path)\(hasPasscode ? "" : " --passcode-stdin")",
            input: "1234\n"
        )
        #expect(enabled.status == 0 && enabled.errors.contains("There is a recovery key, made 2"), "\(enabled)")
        let changed = try anna.control("device change-passcode --passcode-stdin", input: "1234\n5678\n")
        #expect(changed.status == 0 && changed.errors.contains("If it is not yours, replace it"), "\(changed)")
    }

    @Test("rehearsals and the status make nothing in the service")
    func rehearsals() throws {
        let service = try SystemServiceFolder()
        let root = try service.shell(of: 0)
        let home = KeychainLocation(path: service.path(of: "home-0/swift-keychain"))
        let enable = service.enable
        #expect(try root.control("\(enable) --dry-run").status == 0)
        try EmbeddedKeychain(at: home, of: .embedded).handOver(to: .system)
        try ServiceRecord(program: nil, socket: service.socket.path).write(in: PrivateDirectory(home))
        for line in ["\(enable) --dry-run", "service status", "service disable --dry-run"] {
            let outcome = try root.control(line)
            #expect(outcome.status == 0, "\(line): \(outcome)")
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: service.store).isEmpty)
    }

    /// What `enable --system` or `disable` of a keychain without items leaves that is killed.
    enum Interruption: CaseIterable {
        /// `enable`, once the record was written; there was no store before.
        case recordAlone
        /// The same, with a store.
        case record
        /// `enable`, once the store was handed over; the service has none yet.
        case handedOver
        /// The same; the service has one that it gave back earlier. Or `disable`, once it has done that.
        case givenBack
        /// `disable`, once the store was handed back; the record is still there.
        case handedBack
    }

    @Test(
        "a killed enable or disable leaves nobody stuck: each next command settles it",
        arguments: Interruption.allCases
    )
    func interrupted(_ interruption: Interruption) throws {
        let service = try SystemServiceFolder()
        let root = try service.shell(of: 0)
        let home = KeychainLocation(path: service.path(of: "home-0/swift-keychain"))
        let enable = service.enable
        let remote = DaemonKeychain(at: service.socket)
        func interrupt() throws {
            if [.givenBack, .handedBack].contains(interruption) {
                _ = try remote.perform(.maintenance(.takeOver))
                _ = try remote.perform(.maintenance(.giveBack(onlyIfEmpty: true)))
            }
            if interruption != .recordAlone { _ = try EmbeddedKeychain(at: home, of: .embedded).storeMark() }
            if [.handedOver, .givenBack].contains(interruption) {
                try EmbeddedKeychain(at: home, of: .embedded).handOver(to: .system)
            }
            try ServiceRecord(program: nil, socket: service.socket.path).write(in: PrivateDirectory(home))
        }
        try interrupt()
        let status = try root.control("service status")
        #expect(status.status == 0, "\(status)")
        // A program works, or says which command settles it.
        let called = try root.security("add-generic-password -a called -s service -w x")
        #expect(called.status == 0 || called.errors.contains("service"), "\(called)")
        if called.status == 0 {
            let deleted = try root.security("delete-generic-password -a called -s service")
            #expect(deleted.status == 0, "\(deleted)")
        }
        #expect((called.status == 0) == (interruption != .givenBack), "\(called)")

        let disabled = try root.control("service disable")
        #expect(disabled.status == 0, "\(disabled)")
        #expect(try root.control("service status").output.contains("embedded"))
        #expect(try root.control("service disable").errors.contains("embedded already"))

        try interrupt()
        let enabled = try root.control(enable)
        #expect(enabled.status == 0, "\(enabled)")
        // In place of an empty one the first item makes another.
        let isThere = ![.record, .recordAlone].contains(interruption)
        let text = isThere ? "serves a keychain" : "has no keychain of this user yet"
        let served = try root.control("service status")
        #expect(served.output.contains(text), "\(served)")
        #expect(try root.security("add-generic-password -a name -s service -w there").status == 0)
        #expect(try secret(root).output == "there\n")
        #expect(access("\(service.store)/0/keychain.db", F_OK) == 0)
    }

    @Test("a program that only listens is notified once the service has the keychain, and that it gave it back")
    func listener() throws {
        let service = try SystemServiceFolder()
        let root = try service.shell(of: 0)
        let location = KeychainLocation(path: service.path(of: "home-0/swift-keychain"))
        let program = RoutedKeychain(ProcessKeychain.Parts(storeAt: location, authenticator: NoAuthenticator()))
        #expect(try root.security("add-generic-password -a a -s service -w x").status == 0)
        #expect(try root.security("delete-generic-password -a a -s service").status == 0)
        let notices = RecordedNotices()
        let observation = program.observeChanges(as: Client(accessGroups: ["swift-keychain.common"]), notices.record)
        for round in 0..<3 {
            let enabled = try root.control(service.enable)
            #expect(enabled.status == 0, "\(enabled)")
            #expect(notices.receives(.unknown))
            #expect(try root.security("add-generic-password -a a\(round) -s service -w x").status == 0)
            #expect(notices.receives(.changed([ChangedItems(.genericPassword, in: "swift-keychain.common")])))
            #expect(try root.control("service disable --leave-items").status == 0)
            #expect(notices.receives(.unknown))
        }
        withExtendedLifetime((program, observation)) {}
    }

    @Test("programs give nothing to a service of another user than that of its folder, or in a folder of others")
    func otherService() throws {
        let service = try SystemServiceFolder()
        let anna = try service.enabledShell(of: Self.anna)
        chown(service.socket.folder, Self.bert, Self.bert)
        let other = try secret(anna)
        #expect(other.status != 0 && other.errors.contains("runs as another user"), "\(other)")
        chown(service.socket.folder, SystemServiceFolder.user, SystemServiceFolder.user)
        chmod(service.socket.folder, 0o777)
        let open = try secret(anna)
        #expect(open.status != 0 && open.errors.contains("is writable by other users"), "\(open)")
        chmod(service.socket.folder, 0o755)
        #expect(try secret(anna).status == 44)
    }

    @Test(
        "a signed program of a user keeps its items from that user's other programs",
        .enabled(if: SystemServiceFolder.mayLookAtPrograms, "the service needs CAP_SYS_PTRACE to look at programs")
    )
    func signedProgram() throws {
        let service = try SystemServiceFolder(looksAtPrograms: true)
        let anna = try service.enabledShell(of: Self.anna)
        let (tool, key) = (service.path(of: "tool"), service.path(of: "team.pem"))
        try InstalledProgram.copy(DaemonFolder.program("security"), to: tool)
        let root = Shell(environment: ["HOME": service.path(of: ""), "PATH": "/usr/bin:/bin"])
        for words in [
            ["team", "create", key], ["sign", "--team-key", key, "--identifier", "com.example.tool", tool],
        ] {
            let outcome = try root.run("keychainctl", words)
            #expect(outcome.status == 0, "\(outcome)")
        }
        let words = ["-a", "name", "-s", "service"]
        let unsafe = try anna.run(tool, ["add-generic-password"] + words + ["-w", "signed"])
        #expect(unsafe.status == 53 && unsafe.errors.contains("device set-passcode"), "without a passcode: \(unsafe)")
        let set = try anna.control("device set-passcode --passcode-stdin", input: "1234\n")
        #expect(set.status == 0, "\(set)")
        let added = try anna.run(tool, ["add-generic-password"] + words + ["-w", "signed"])
        #expect(added.status == 0, "\(added)")
        let found = try anna.run(tool, ["find-generic-password"] + words + ["-w"])
        #expect(found.output == "signed\n", "\(found)")
        let unsigned = try secret(anna)
        #expect(unsigned.status == 44, "the same program without a manifest: \(unsigned)")
        let other = try anna.security("add-generic-password -a name -s service -w unsigned")
        #expect(other.status == 0, "\(other)")
        #expect(try anna.run(tool, ["find-generic-password"] + words + ["-w"]).output == "signed\n")
    }

    @Test(
        "a signed program that the service cannot read is told to be elsewhere, and not to be restarted",
        .enabled(if: SystemServiceFolder.mayLookAtPrograms, "the service needs CAP_SYS_PTRACE to look at programs"),
        arguments: ["other users cannot enter the folder", "other users cannot read it"]
    )
    func programOutOfReach(_ reason: String) throws {
        let service = try SystemServiceFolder(looksAtPrograms: true)
        let anna = try service.enabledShell(of: Self.anna)
        let home = try #require(anna.environment["HOME"])
        let (key, trace) = (service.path(of: "team.pem"), "\(home)/trace")
        let isInHome = reason.contains("folder")
        let tool = isInHome ? "\(home)/tool" : service.path(of: "tool")
        try InstalledProgram.copy(DaemonFolder.program("keychain-items"), to: tool)
        let root = Shell(environment: ["HOME": service.path(of: ""), "PATH": "/usr/bin:/bin"])
        for words in [["team", "create", key], ["sign", "--team-key", key, tool]] {
            let outcome = try root.run("keychainctl", words)
            #expect(outcome.status == 0, "\(outcome)")
        }
        if !isInHome { #expect(chown(tool, Self.anna, 0) == 0 && chmod(tool, 0o700) == 0) }
        var environment = anna.environment
        environment["SWIFT_KEYCHAIN_TRACE"] = trace
        let program = Shell(environment: environment, prefix: SystemServiceFolder.asUser(Self.anna))
        let added = try program.run(tool, ["add", "name", "secret"])
        #expect(added.output == "-34018\n", "\(added)")
        let calls = try String(contentsOfFile: trace, encoding: .utf8)
        #expect(calls.contains(reason), "\(calls)")
        #expect(calls.contains("where other users can read it") && !calls.contains("restart the program"), "\(calls)")
    }

    @Test("the service is not run by root, and not on a folder that others can look into")
    func places() throws {
        let service = try SystemServiceFolder()
        let root = try Shell(environment: ["PATH": "/usr/bin:/bin"]).run("keychaind", ["--system"])
        #expect(root.status == 2 && root.errors.contains("not as root"), "\(root)")
        chmod(service.store, 0o755)
        #expect(throws: SystemServiceFolder.Failure.self) { try service.restart() }
        chmod(service.store, 0o700)
        try service.start()
    }

    private func secret(_ shell: Shell) throws -> Shell.Outcome {
        try shell.security("find-generic-password -a name -s service -w")
    }

    private static func read(_ keychain: any KeychainBackend) throws(KeychainError) {
        let query: PropertyDictionary = ["class": .string("genp"), "acct": .string("name")]
        _ = try keychain.perform(KeychainRequest(.copyMatching(query), client: Client(accessGroups: ["example"])))
    }
}
