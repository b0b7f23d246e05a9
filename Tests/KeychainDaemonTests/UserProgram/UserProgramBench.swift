// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainEngine
import KeychainIdentity
import KeychainProtection
import KeychainServer
import KeychainTestSupport

@testable import KeychainDaemon

/// Programs of a user, and the keychain that they reach through its daemon.
struct UserProgramBench {
    static let team = "ABCDEFGHIJKLMNOPQRSTUVWX23"

    static let anonymous = ClientIdentity(.anonymous)

    static let everything: PropertyDictionary = [
        "class": .string("genp"), PropertyKey.matchLimit: .string(PropertyKey.matchLimitAll),
        PropertyKey.returnAttributes: .boolean(true),
    ]

    let keychain: EmbeddedKeychain
    let life: DaemonLife
    let proofs = PasscodeProofs()

    /// An anonymous program.
    let peer: UserProgram

    init() {
        var device = DeviceOptions()
        device.passwordWork = .testing
        device.attemptLimit = ProgramKeychain.attemptLimit
        keychain = EmbeddedKeychain.inMemory(device: device)
        life = DaemonLife(endsWhenIdleFor: nil, holdsKeys: { false }, wake: {})
        peer = UserProgram(
            ProcessInstance(identifier: 7, startTime: 1),
            as: Self.anonymous,
            keychain: keychain,
            proofs: proofs,
            life: life
        )
    }

    /// Another program.
    func program(
        _ identity: ClientIdentity,
        _ process: ProcessInstance = ProcessInstance(identifier: 8, startTime: 1),
        isSystemService: Bool = false
    ) -> UserProgram {
        UserProgram(
            process,
            as: identity,
            keychain: keychain,
            proofs: proofs,
            life: life,
            isSystemService: isSystemService
        )
    }

    /// Adds an item to a group, as a program that has it.
    func add(_ account: String, to group: String, _ more: [String: PropertyValue] = [:]) throws {
        let item: [String: PropertyValue] = [
            "class": .string("genp"), "acct": .string(account), "agrp": .string(group),
            PropertyKey.valueData: .data(SecretBytes([1])),
        ]
        let dictionary = PropertyDictionary(item.merging(more) { $1 })
        _ = try keychain.perform(KeychainRequest(.add(dictionary), client: Client(accessGroups: [group])))
    }

    /// What a call of the program gives.
    func perform(
        _ operation: KeychainRequest.Operation,
        _ claimed: [String],
        of program: UserProgram? = nil
    ) throws(KeychainError) -> KeychainAnswer {
        let program = program ?? peer
        let request = KeychainRequest(operation, client: Client(accessGroups: claimed))
        let command = KeychainCommand.items(request)
        guard case .answer(let answer) = try program.perform(try program.permitted(command), sentAs: command) else {
            throw KeychainError(.internalComponent, "not an answer")
        }
        return answer
    }

    /// The groups with which a call of the program is carried out.
    func groups(
        _ claimed: [String],
        _ operation: KeychainRequest.Operation = .add(["class": .string("genp")]),
        of program: UserProgram? = nil
    ) throws(KeychainError) -> [String] {
        let request = KeychainRequest(operation, client: Client(accessGroups: claimed))
        guard case .items(let permitted) = try (program ?? peer).permitted(.items(request)) else { return [] }
        return permitted.client.accessGroups
    }
}
