// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainEngine
import KeychainServer

/// A process of the user of which nothing else is known: it shares one area with all others of that kind.
final class AnonymousPeer: ConnectedPeer {
    let process: ProcessInstance
    let backend: any KeychainBackend
    let vouchesForBiometry = false

    private let keychain: any KeychainBackend
    private let proofs: PasscodeProofs
    private let life: DaemonLife

    init(
        _ process: ProcessInstance,
        _ keychain: any KeychainBackend,
        _ proofs: PasscodeProofs,
        _ life: DaemonLife
    ) {
        self.process = process
        self.keychain = keychain
        self.proofs = proofs
        self.life = life
        backend = ProvingKeychain(keychain, process, proofs, life)
        life.beginConnection()
    }

    deinit { life.endConnection() }

    func permitted(_ command: KeychainCommand) throws(KeychainError) -> KeychainCommand {
        switch command {
        case .items(let request):
            return .items(try AnonymousScope(keychain).permitted(request))
        case .explain(var request):
            try checkScope(of: command)
            request.call = try permitted(request.call, command)
            return .explain(request)
        case .itemsExplained(var request):
            try checkScope(of: command)
            request.call = try permitted(request.call, command)
            return .itemsExplained(request)
        case .maintenance, .device(.setPolicy):
            try checkIsOwner()
            return command
        case .device, .authentication, .enclave:
            return command
        }
    }

    // One connection is one process for as long as it lasts, unless it is passed on, and any process of the user is
    // taken for the same client.
    func confirm() throws(KeychainError) {}

    private func permitted(
        _ request: KeychainRequest,
        _ command: KeychainCommand
    ) throws(KeychainError) -> KeychainRequest {
        command.isForOwner ? request : try AnonymousScope(keychain).permitted(request)
    }

    private func checkScope(of command: KeychainCommand) throws(KeychainError) {
        if command.isForOwner { try checkIsOwner() }
    }

    /// Refuses what concerns the items of all clients to a program that has not proved the passcode.
    ///
    /// Without a passcode, whoever runs as the user can read the store's files, and is its owner.
    private func checkIsOwner() throws(KeychainError) {
        if proofs.isProved(by: process) { return }
        guard try keychain.device.status().hasPasscode else { return }
        throw KeychainError(
            .missingEntitlement,
            "this is for the owner of the keychain: the passcode has to be given first",
            facts: ["proof": "passcode"]
        )
    }
}

/// The keychain as one process uses it: notes that it gave the right passcode, and that the store is gone.
private final class ProvingKeychain: KeychainBackend {
    private let keychain: any KeychainBackend
    private let process: ProcessInstance
    private let proofs: PasscodeProofs
    private let life: DaemonLife

    init(
        _ keychain: any KeychainBackend,
        _ process: ProcessInstance,
        _ proofs: PasscodeProofs,
        _ life: DaemonLife
    ) {
        self.keychain = keychain
        self.process = process
        self.proofs = proofs
        self.life = life
    }

    var identity: ObjectIdentifier { keychain.identity }

    func perform(_ command: KeychainCommand) throws(KeychainError) -> KeychainReply {
        let reply: KeychainReply
        do throws(KeychainError) {
            reply = try keychain.perform(command)
        } catch {
            if error.foreignOwner != nil { life.end(because: "the store was made over to somebody else") }
            throw error
        }
        if command.provesPasscode { proofs.note(process) }
        if case .device(.lock) = command { proofs.clear() }
        return reply
    }
}
