// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainEngine
import KeychainIdentity
import KeychainServer

/// A process of the user whom the daemon serves, with what its identity gives it.
final class UserProgram: ConnectedPeer {
    let process: ProcessInstance
    let backend: any KeychainBackend
    let vouchesForBiometry = false

    private let keychain: any KeychainBackend
    private let identity: ClientIdentity
    private let lookAgain: @Sendable () throws(KeychainError) -> Void
    private let proofs: PasscodeProofs
    private let life: DaemonLife

    /// A program.
    ///
    /// - Parameters:
    ///   - process: the process that runs it.
    ///   - identity: who it is.
    ///   - keychain: what carries out its commands.
    ///   - proofs: who gave the passcode.
    ///   - life: ends when nobody is connected any more.
    ///   - lookAgain: fails when the process does not run that program any more.
    init(
        _ process: ProcessInstance,
        _ identity: ClientIdentity,
        _ keychain: any KeychainBackend,
        _ proofs: PasscodeProofs,
        _ life: DaemonLife,
        lookAgain: @escaping @Sendable () throws(KeychainError) -> Void = {}
    ) {
        self.process = process
        self.identity = identity
        self.keychain = keychain
        self.lookAgain = lookAgain
        self.proofs = proofs
        self.life = life
        backend = ProvingKeychain(keychain, process, proofs, life)
        life.beginConnection()
    }

    deinit { life.endConnection() }

    func permitted(_ command: KeychainCommand) throws(KeychainError) -> KeychainCommand {
        switch command {
        case .items(let request):
            return .items(try AccessScope(of: identity, in: keychain).permitted(request))
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

    func confirm() throws(KeychainError) { try lookAgain() }

    private func permitted(
        _ request: KeychainRequest,
        _ command: KeychainCommand
    ) throws(KeychainError) -> KeychainRequest {
        command.isForOwner ? request : try AccessScope(of: identity, in: keychain).permitted(request)
    }

    private func checkScope(of command: KeychainCommand) throws(KeychainError) {
        if command.isForOwner { try checkIsOwner() }
    }

    /// Refuses what concerns the items of all clients to a program that has not proved the passcode.
    ///
    /// Without a passcode, whoever runs as the user can read the store's files, and is its owner; but what is in a
    /// sandbox cannot, and would have the daemon open files for it outside of that.
    private func checkIsOwner() throws(KeychainError) {
        if identity.hasOwnerRights { return }
        guard !identity.isSandboxed else {
            throw KeychainError(.missingEntitlement, "this is for the owner of the keychain, not for a sandbox")
        }
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
