// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainEngine
import KeychainIdentity

/// The keychain as one program uses it: records that the program entered the correct passcode, and notices that the
/// store has another owner.
final class ProgramKeychain: KeychainBackend {
    private let keychain: any ServedKeychain
    private let program: ClientIdentity
    private let prover: @Sendable () -> PasscodeProofs.Prover
    private let proofs: PasscodeProofs
    private let life: DaemonLife
    private let isSystemService: Bool

    /// Whether the command under way on this thread must not erase a keychain that has a passcode.
    @TaskLocal private static var keepsPasscodeOfCommand = false

    /// For ``DeviceOptions/keepsPasscode`` of the keychain that is served.
    static let keepsPasscode: @Sendable () -> Bool = { keepsPasscodeOfCommand }

    /// Whether the command under way on this thread is of a sandbox.
    @TaskLocal private static var isForSandbox = false

    /// The number of consecutive wrong attempts, by any program, after which attempts of a sandbox are not checked.
    ///
    /// A sandbox answers the passcode prompt itself. The user is delayed after five wrong attempts.
    static let wrongPasscodesOfSandboxes = 3

    /// For ``DeviceOptions/attemptLimit`` of the keychain that is served.
    static let attemptLimit: @Sendable () -> Int? = { isForSandbox ? wrongPasscodesOfSandboxes : nil }

    init(
        _ keychain: any ServedKeychain,
        for program: ClientIdentity,
        prover: @escaping @Sendable () -> PasscodeProofs.Prover,
        proofs: PasscodeProofs,
        life: DaemonLife,
        isSystemService: Bool = false
    ) {
        self.keychain = keychain
        self.program = program
        self.prover = prover
        self.proofs = proofs
        self.life = life
        self.isSystemService = isSystemService
    }

    var identity: ObjectIdentifier { keychain.identity }

    var families: CommandFamily { keychain.families }

    func carryOut(_ command: KeychainCommand) throws(KeychainError) -> KeychainReply {
        let keepsPasscode = mustKeepPasscode(command)
        let result = Self.$isForSandbox.withValue(program.isSandboxed) {
            Self.$keepsPasscodeOfCommand.withValue(keepsPasscode) {
                Result { () throws(KeychainError) in
                    guard case .maintenance(.move(let step)) = command else { return try keychain.perform(command) }
                    return try keychain.move(step, by: prover().process)
                }
            }
        }
        switch result {
        case .success(let reply):
            if command.has(.provesPasscode) { proofs.record(prover(), try keychain.currentUnlock()) }
            if command.has(.locksDevice) { proofs.clear() }
            return reply
        case .failure(let error):
            if error.foreignOwner != nil { life.end(because: "the store has another owner now") }
            throw error
        }
    }

    /// Whether a command must not erase a keychain that has a passcode: in the system service, whoever sets the next
    /// one is the owner.
    private func mustKeepPasscode(_ command: KeychainCommand) -> Bool {
        guard isSystemService, case .passcodeOfSystemService = command.row.right else { return false }
        // Without its root key, a keychain has no unlock that could be proved.
        return (try? proofs.isProved(by: prover(), keychain.currentUnlock())) != true
    }
}
