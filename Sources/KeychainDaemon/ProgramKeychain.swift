// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainEngine
import KeychainIdentity
import Synchronization

/// The keychain as one program uses it: records that the program entered the correct passcode, notices that the store
/// has another owner, and reports which groups were not searched.
final class ProgramKeychain: KeychainBackend {
    private let keychain: any ServedKeychain
    private let program: ClientIdentity
    private let prover: @Sendable () -> PasscodeProofs.Prover
    private let proofs: PasscodeProofs
    private let life: DaemonLife

    /// Why claimed groups were left out of the command that was permitted last: a connection has one command at a time.
    private let refusals = Mutex<[String]>([])

    /// Whether the command under way on this thread is of a sandbox.
    @TaskLocal private static var isForSandbox = false

    /// The number of consecutive wrong attempts, by any program, from which on attempts of a sandbox are not checked.
    ///
    /// A sandbox answers the prompt for the passcode itself. The user is delayed from five wrong attempts on.
    static let wrongPasscodesOfSandboxes = 3

    /// For ``DeviceOptions/attemptLimit`` of the keychain that is served.
    static let attemptLimit: @Sendable () -> Int? = { isForSandbox ? wrongPasscodesOfSandboxes : nil }

    init(
        _ keychain: any ServedKeychain,
        _ program: ClientIdentity,
        _ prover: @escaping @Sendable () -> PasscodeProofs.Prover,
        _ proofs: PasscodeProofs,
        _ life: DaemonLife
    ) {
        self.keychain = keychain
        self.program = program
        self.prover = prover
        self.proofs = proofs
        self.life = life
    }

    var identity: ObjectIdentifier { keychain.identity }

    /// Notes which groups the command that comes next leaves out, and why.
    func note(refusals: [String]) { self.refusals.withLock { $0 = refusals } }

    var families: CommandFamily { keychain.families }

    func carryOut(_ command: KeychainCommand) throws(KeychainError) -> KeychainReply {
        let result = Self.$isForSandbox.withValue(program.isSandboxed) {
            Result { () throws(KeychainError) in
                guard case .maintenance(.move(let step)) = command else { return try keychain.perform(command) }
                return try keychain.move(step, by: prover().process)
            }
        }
        switch result {
        case .success(let reply):
            if command.has(.provesPasscode) { proofs.note(prover(), try keychain.currentUnlock()) }
            if command.has(.locksDevice) { proofs.clear() }
            guard case .explained(var outcome) = reply, case .failure(let error) = outcome.result else { return reply }
            outcome.result = .failure(explained(error))
            return .explained(outcome)
        case .failure(let error):
            if error.foreignOwner != nil { life.end(because: "the store has another owner now") }
            guard case .items = command else { throw error }
            throw explained(error)
        }
    }

    /// An error that also says which groups were not searched, and why: items that a program had in a group that it
    /// lost still exist.
    private func explained(_ error: KeychainError) -> KeychainError {
        guard error.status == .itemNotFound else { return error }
        let refusals = refusals.withLock(\.self)
        var sentences: [String] = []
        if !refusals.isEmpty {
            sentences.append("not searched, although the program claims it: \(refusals.joined(separator: "; "))")
        }
        sentences += refusals.isEmpty ? [program.loss].compactMap(\.self) : program.reasons
        if !refusals.isEmpty, program.isKnown, program.isConfined {
            sentences.append(
                "what the program stored there before it was identified is kept: a program that is not, such as "
                    + "'security', can read it, and this one can store it again"
            )
        }
        var error = error
        if program.loss != nil { error.kind = .lostIdentity }
        error.reason = ([error.reason] + sentences).joined(separator: "; ")
        return error
    }
}
