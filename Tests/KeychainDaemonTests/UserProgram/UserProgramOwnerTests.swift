// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainEngine
import KeychainIdentity
import KeychainProtection
import KeychainServer
import KeychainTestSupport
import Testing

@testable import KeychainDaemon

/// What a program may do that concerns the items of all.
struct UserProgramOwnerTests {
    private let bench = UserProgramBench()

    @Test("an explanation for the owner shows no secret of others: the call that is carried out is the program's")
    func explainedCall() throws {
        try bench.add("1", to: "\(UserProgramBench.team).c")
        var query = UserProgramBench.everything
        query[PropertyKey.returnData] = .boolean(true)
        for operation in [.copyMatching(query), .delete(["class": .string("genp")])] as [KeychainRequest.Operation] {
            let call = KeychainRequest(operation, client: Client(accessGroups: ["*"]))
            let request = ExplanationRequest(call, ExplanationOptions(scope: .owner))
            let command = KeychainCommand.itemsExplained(request)
            let reply = try bench.peer.perform(try bench.peer.permitted(command), sentAs: command)
            guard case .explained(let outcome) = reply else { return #expect(Bool(false)) }
            #expect(throws: KeychainError.self) { try outcome.result.get() }
            #expect(outcome.explanation?.search?.candidates.count == 1, "the owner sees its attributes")
        }
        #expect(try bench.keychain.storedRows().count == 1)
    }

    @Test("what is the owner's takes the passcode, of this process and not long ago")
    func ownersCommands() throws {
        let call = KeychainRequest(.copyMatching(["class": .string("genp")]), client: .person)
        let commands: [KeychainCommand] = [
            .maintenance(.check), .device(.setPolicy(DevicePolicy())),
            .explain(ExplanationRequest(call, ExplanationOptions(scope: .owner))),
            .itemsExplained(ExplanationRequest(call, ExplanationOptions(scope: .owner))),
        ]
        for command in commands { #expect(throws: Never.self) { try bench.peer.permitted(command) } }
        try bench.keychain.device.setPasscode(SecretBytes([1]))
        for command in commands {
            let refusal = #expect(throws: KeychainError.self) { try bench.peer.permitted(command) }
            #expect(refusal?.status == .missingEntitlement)
        }
        #expect(throws: KeychainError.self) { try bench.peer.backend.device.unlock(passcode: SecretBytes([2])) }
        #expect(throws: KeychainError.self) { try bench.peer.permitted(commands[0]) }
        try bench.peer.backend.device.unlock(passcode: SecretBytes([1]))
        for command in commands { #expect(throws: Never.self) { try bench.peer.permitted(command) } }
        let other = bench.program(UserProgramBench.anonymous, ProcessInstance(identifier: 7, startTime: 2))
        #expect(throws: KeychainError.self) { try other.permitted(commands[0]) }
        try bench.peer.backend.device.lock()
        #expect(throws: KeychainError.self) { try bench.peer.permitted(commands[0]) }
    }

    @Test("a scheduled backup is made for any program but one in a sandbox, and its secret is set by the owner alone")
    func scheduledBackup() throws {
        let make = KeychainCommand.maintenance(.createBackup(BackupRequest(to: .reply, secret: .ofSchedule)))
        let given = KeychainCommand.maintenance(
            .createBackup(BackupRequest(to: .reply, secret: .given(SecretBytes([1]))))
        )
        let set = KeychainCommand.maintenance(.setBackupSecret(SecretBytes([1])))
        try bench.keychain.device.setPasscode(SecretBytes([1]))
        #expect(throws: Never.self) { try bench.peer.permitted(make) }
        for command in [given, set] { #expect(throws: KeychainError.self) { try bench.peer.permitted(command) } }
        let app = bench.program(
            ClientIdentity(
                .flatpak("org.example.App"),
                ownedGroups: ["flatpak/org.example.App"],
                ownedPrefix: "flatpak/org.example.App/",
                isConfined: true,
                isSandboxed: true
            )
        )
        #expect(throws: KeychainError.self) { try app.permitted(make) }
    }

    @Test("a sandbox is never the owner, unless the owner of the system says so")
    func sandboxes() throws {
        let check = KeychainCommand.maintenance(.check)
        let sandbox = bench.program(
            ClientIdentity(.flatpak("org.example.App"), ownedGroups: ["flatpak/org.example.App"])
        )
        let refusal = #expect(throws: KeychainError.self) { try sandbox.permitted(check) }
        // A daemon that was started in a sandbox takes every program outside for one in a sandbox.
        #expect(refusal?.isAboutSandbox == true && refusal?.reason.contains("keychainctl service restart") == true)
        try bench.keychain.device.setPasscode(SecretBytes([1]))
        try sandbox.backend.device.unlock(passcode: SecretBytes([1]))
        #expect(throws: KeychainError.self) { try sandbox.permitted(check) }
        let trusted = bench.program(ClientIdentity(.rootManifest("/etc/x"), hasOwnerRights: true))
        #expect(try trusted.permitted(check) == check)
    }
}
