// SPDX-License-Identifier: Apache-2.0

import Glibc
import KeychainCore
import KeychainEngine
import KeychainProtection
import KeychainServer
import KeychainTestSupport
import Synchronization
import Testing

@testable import KeychainDaemon
@testable import KeychainIdentity

/// What of the device a program may use, and for how long it counts as the owner's.
struct DeviceOfProgramTests {
    private static let anonymous = ClientIdentity(.anonymous)

    private let keychain: EmbeddedKeychain
    private let life = DaemonLife(endsWhenIdleFor: nil, holdsKeys: { false }, wake: {})
    private let proofs = PasscodeProofs()

    init() {
        var device = DeviceOptions()
        device.passwordWork = .testing
        device.keepsPasscode = ProgramKeychain.keepsPasscode
        keychain = EmbeddedKeychain.inMemory(device: device)
    }

    private func program(_ identity: ClientIdentity, _ keychain: EmbeddedKeychain? = nil) -> UserProgram {
        let process = ProcessInstance(identifier: 8, startTime: 1)
        return UserProgram(process, as: identity, keychain: keychain ?? self.keychain, proofs: proofs, life: life)
    }

    @Test("what sees another system is no owner without a passcode either, and leaves the device to the user")
    func deviceOfSandbox() throws {
        let passcode = SecretBytes([1])
        let flatpak = program(ClientIdentity(.flatpak("org.example.App"), ownedGroups: ["flatpak/org.example.App"]))
        let unknown = program(ClientIdentity(.anonymous, isConfined: true, isSandboxed: true))
        let commands: [KeychainCommand.Device] = [
            .setPasscode(passcode), .unlock(passcode), .changePasscode(from: passcode, to: passcode),
            .removePasscode(passcode), .lock, .lockThisProcess, .setPolicy(DevicePolicy()), .summary, .erase,
            .createRecoveryKey(.random(), passcode: nil), .checkRecoveryKey(.random()),
            .useRecoveryKey(.random(), newPasscode: passcode, newRecoveryKey: .random()),
            .removeRecoveryKey(passcode: nil),
        ]
        for sandbox in [flatpak, unknown] {
            for command in commands {
                let refusal = #expect(throws: KeychainError.self) { try sandbox.permitted(.device(command)) }
                #expect(refusal?.status == .missingEntitlement)
            }
            #expect(throws: Never.self) { try sandbox.permitted(.device(.status)) }
            #expect(throws: KeychainError.self) { try sandbox.permitted(.maintenance(.check)) }
        }
        let ordinary = program(Self.anonymous)
        for command in commands { #expect(throws: Never.self) { try ordinary.permitted(.device(command)) } }
    }

    @Test("who makes or removes a recovery key has entered the passcode, which a manifest does not replace")
    func recoveryKeyTakesPasscode() throws {
        let passcode = SecretBytes([1])
        let commands: [KeychainCommand] = [
            .device(.createRecoveryKey(.random(), passcode: passcode)), .device(.removeRecoveryKey(passcode: passcode)),
        ]
        let owner = program(ClientIdentity(.rootManifest("owner"), hasOwnerRights: true))
        // In the system service without a passcode nobody is the owner.
        let process = ProcessInstance(identifier: 9, startTime: 1)
        let ofService = UserProgram(
            process,
            as: Self.anonymous,
            keychain: keychain,
            proofs: proofs,
            life: life,
            isSystemService: true
        )
        for command in commands {
            #expect(throws: Never.self) { try owner.permitted(command) }
            #expect(throws: KeychainError.self) { try ofService.permitted(command) }
        }
        try keychain.device.setPasscode(passcode)
        for program in [owner, ofService, program(Self.anonymous)] {
            for command in commands {
                let refusal = #expect(throws: KeychainError.self) { try program.permitted(command) }
                #expect(refusal?.status == .missingEntitlement)
            }
            // What it takes for these is the recovery key itself, nothing, or known in the midst of the command.
            for command in [KeychainCommand.Device.checkRecoveryKey(.random()), .erase, .summary] {
                #expect(throws: Never.self) { try program.permitted(.device(command)) }
            }
        }
        _ = try owner.backend.perform(.device(.unlock(passcode)))
        for command in commands { #expect(throws: Never.self) { try owner.permitted(command) } }
    }

    @Test("in the system service an erasure takes the passcode, if one is set, whatever a manifest grants")
    func erasureTakesPasscode() throws {
        let passcode = SecretBytes([1])
        let erase = KeychainCommand.device(.erase)
        func ofService(_ identity: ClientIdentity, process: Int32) -> UserProgram {
            UserProgram(
                ProcessInstance(identifier: process, startTime: 1),
                as: identity,
                keychain: keychain,
                proofs: proofs,
                life: life,
                isSystemService: true
            )
        }
        let programs = [
            ofService(Self.anonymous, process: 9),
            ofService(ClientIdentity(.rootManifest("owner"), hasOwnerRights: true), process: 10),
        ]
        for program in programs { #expect(throws: Never.self) { try program.backend.perform(erase) } }
        // It is set after the command was permitted, and before it is carried out.
        for program in programs { _ = try program.permitted(erase) }
        try keychain.device.setPasscode(passcode)
        for program in programs {
            let refusal = #expect(throws: KeychainError.self) { try program.backend.perform(erase) }
            #expect(refusal?.status == .missingEntitlement && refusal?.reason.contains("root") == true)
        }
        #expect(try keychain.device.status().hasPasscode)
        _ = try programs[0].backend.perform(.device(.unlock(passcode)))
        #expect(throws: KeychainError.self) { try programs[1].backend.perform(erase) }
        _ = try programs[0].backend.perform(erase)
        #expect(try !keychain.device.status().hasPasscode)
        // The files of the user's own store can be removed in any case.
        try keychain.device.setPasscode(passcode)
        _ = try program(Self.anonymous).backend.perform(erase)
        #expect(try !keychain.device.status().hasPasscode)
    }

    /// Answers every question with the same.
    private struct SameAnswer: Authenticator {
        let biometry = Biometry.none
        let canAskForSecrets = true
        let answer: SecretBytes
        func ask(_ prompt: AuthenticationPrompt) -> AuthenticationReply { .secret(answer) }
    }

    @Test("wrong answers of a sandbox neither delay the user nor erase anything", arguments: [nil, 3, 1])
    func guesses(eraseAfter: Int?) throws {
        var device = DeviceOptions(authenticator: SameAnswer(answer: SecretBytes([2])))
        device.passwordWork = .testing
        device.attemptLimit = ProgramKeychain.attemptLimit
        let keychain = EmbeddedKeychain.inMemory(device: device)
        try keychain.device.setPasscode(SecretBytes([1]))
        try keychain.device.setPolicy(DevicePolicy(eraseAfterFailedAttempts: eraseAfter))
        let sandbox = program(ClientIdentity(.flatpak("org.example.App")), keychain)
        for _ in 0..<4 {
            let context = AuthenticationContext()
            let command = KeychainCommand.authentication(
                .evaluate(.policy(.deviceOwner), reason: "", context)
            )
            let error = #expect(throws: KeychainError.self) {
                try sandbox.backend.perform(try sandbox.permitted(command))
            }
            #expect(error?.status == .authenticationFailed)
        }
        let status = try keychain.device.status()
        #expect(status.hasPasscode && status.secondsUntilNextAttempt == 0)
        #expect(status.failedAttempts == min(3, (eraseAfter ?? 4) - 1))
        try keychain.device.unlock(passcode: SecretBytes([1]))
        #expect(try keychain.device.status().failedAttempts == 0)
    }

    @Test("a proof counts for a while, and with the unlock that it brought about")
    func proofEnds() {
        let prover = PasscodeProofs.Prover(process: ProcessInstance(identifier: 1, startTime: 1), executable: nil)
        let start = ContinuousClock.now
        proofs.record(prover, 3, at: start)
        #expect(proofs.isProved(by: prover, 3, at: start + .seconds(299)))
        #expect(!proofs.isProved(by: prover, 3, at: start + .seconds(301)))
        #expect(!proofs.isProved(by: prover, 4, at: start))
        #expect(!proofs.isProved(by: prover, nil, at: start))
        proofs.clear()
        proofs.record(prover, nil, at: start)
        #expect(!proofs.isProved(by: prover, nil, at: start))
    }

    @Test("a proof ends with every lock: by idleness, and by whatever changes the passcode")
    func proofEndsWithUnlock() throws {
        let clock = TestClock()
        var device = DeviceOptions(hostClock: clock)
        device.passwordWork = .testing
        let keychain = EmbeddedKeychain.inMemory(device: device)
        let (first, second) = (SecretBytes([1]), SecretBytes([2]))
        let program = program(Self.anonymous, keychain)
        let check = KeychainCommand.maintenance(.check)
        _ = try program.backend.perform(.device(.unlock(first)))
        try keychain.device.setPasscode(first)
        #expect(throws: KeychainError.self, "nothing was proved without a passcode") { try program.permitted(check) }
        try keychain.device.setPolicy(DevicePolicy(autoLockAfterSeconds: 60))
        let ends: [() throws -> Void] = [
            {
                clock.advance(by: 61)
                try keychain.device.unlock(passcode: first)
            },
            {
                try keychain.device.lock()
                try keychain.device.unlock(passcode: first)
            },
            { try keychain.device.changePasscode(from: first, to: second) },
            {
                try keychain.device.removePasscode(second)
                try keychain.device.setPasscode(first)
            },
        ]
        for (index, end) in ends.enumerated() {
            _ = try program.backend.perform(.device(.unlock(index == 3 ? second : first)))
            #expect(throws: Never.self) { try program.permitted(check) }
            try keychain.device.unlock(passcode: index == 3 ? second : first)
            #expect(throws: Never.self, "another unlock takes nothing away") { try program.permitted(check) }
            try end()
            #expect(throws: KeychainError.self, "\(index)") { try program.permitted(check) }
        }
    }

    @Test("a proof is not that of the program that a process becomes")
    func proofEndsWithProgram() throws {
        try keychain.device.setPasscode(SecretBytes([1]))
        let executables = [stat(), stat()].enumerated().map { index, status in
            var status = status
            status.st_ino = ino_t(index)
            return FileMark(status)
        }
        let isOther = Atomic<Bool>(false)
        let program = UserProgram(
            ProcessInstance(identifier: 8, startTime: 1),
            as: Self.anonymous,
            keychain: keychain,
            proofs: proofs,
            life: life,
            executable: { executables[isOther.load(ordering: .relaxed) ? 1 : 0] }
        )
        try program.backend.device.unlock(passcode: SecretBytes([1]))
        #expect(throws: Never.self) { try program.permitted(.maintenance(.check)) }
        isOther.store(true, ordering: .relaxed)
        #expect(throws: KeychainError.self) { try program.permitted(.maintenance(.check)) }
    }
}

/// A clock that a test sets.
private final class TestClock: HostClock {
    private let time = Mutex(HostTime(bootIdentifier: "boot", secondsSinceBoot: 100, date: .referenceDate))

    var now: HostTime { time.withLock(\.self) }

    func advance(by seconds: Double) { time.withLock { $0.secondsSinceBoot += seconds } }
}
