// SPDX-License-Identifier: Apache-2.0

import KeychainAuthenticators
import KeychainCore
import KeychainSimulation
import Testing

@testable import KeychainEngine

/// What the enclave answers by lock state and level, and by access control and owner.
struct EnclaveMatrixTests {
    struct Row: CustomTestStringConvertible {
        var level: Accessibility
        var state: DeviceState
        var storage: VirtualDevice.Storage

        var testDescription: String { "\(level.rawValue), \(state), \(storage)" }

        static let all = VirtualDevice.Storage.allCases.flatMap { storage in
            Accessibility.stored.flatMap { level in
                DeviceState.allCases.map { Row(level: level, state: $0, storage: storage) }
            }
        }
    }

    @Test("making, reading and using a key answer by the level and the lock state", arguments: Row.all)
    func availability(_ row: Row) throws {
        let device = try VirtualDevice(storage: row.storage)
        let accessControl = AccessControl(synthesizedFor: row.level)
        let made = try device.enclave.makeKey(.p256, accessControl: accessControl, context: nil)
        try row.state.enter(device)
        let availability = ModelAvailability(row.level, row.state)
        #expect(
            device.enclave.failure { try $0.makeKey(.p256, accessControl: accessControl, context: nil) }
                == availability.storing
        )
        #expect(device.enclave.failure { try $0.key(made.sealed) } == availability.readingEnclaveKey)
        #expect(device.enclave.failure { try $0.sign(made) } == availability.usingEnclaveKey)
        #expect(device.enclave.failure { try $0.key(altered(made.sealed)) } == .decode)
        #expect(
            device.enclave.failure { try $0.perform(.sign(digest: [1]), with: altered(made.sealed), nil) } == .decode
        )
        try row.state.leave(device)
        let afterwards: Status? = availability == .destroyed ? .itemNotFound : nil
        #expect(device.enclave.failure { try $0.sign(made) } == afterwards)
        #expect(device.prompts.isEmpty)
    }

    private func altered(_ sealed: SecretBytes) -> SecretBytes {
        var bytes = sealed.unprotectedCopy
        bytes[20] ^= 1
        return SecretBytes(bytes)
    }

    private static let flags: [AccessControlFlags] = [
        .userPresence, .biometryAny, .biometryCurrentSet, .devicePasscode, .companion, .or, .applicationPassword,
    ]

    /// The constraints of all combinations of flags that differ in what is asked for.
    private static let constraints = Set(
        (0..<1 << flags.count).compactMap { combination in
            AccessConstraints(
                AccessControlFlags(flags.enumerated().filter { combination >> $0.offset & 1 == 1 }.map(\.element))
            )
        }
    )

    @Test("an owner is asked what the access control says, and nothing more", arguments: [false, true])
    func accessControls(_ guardsPrivateKeyUsage: Bool) throws {
        let device = try VirtualDevice()
        device.owner.authenticator.biometry.enrolledSet = EvaluationBench.storedSet
        let password = AuthenticationContext(applicationPassword: SecretBytes([1]))
        var differences: [String] = []
        for constraints in Self.constraints {
            let flags = constraints.flags.union(guardsPrivateKeyUsage ? .privateKeyUsage : [])
            let made = try device.enclave.makeKey(.p256, accessControl: .of(.whenUnlocked, flags), context: password)
            // Half of the owners each, so that both together are all.
            for (index, owner) in ModelOwner.all.enumerated() where index.isMultiple(of: 2) == guardsPrivateKeyUsage {
                let bench = EvaluationBench(owner)
                let enclave = KeyEnclave(
                    EmbeddedEnclave(access: device.keychain.access, evaluator: bench.evaluator).perform
                )
                let status = enclave.failure { try $0.sign(made, bench.given) }
                let expected = Self.expected(constraints, owner: owner, guardsPrivateKeyUsage: guardsPrivateKeyUsage)
                if status != expected.status || bench.questions != expected.questions {
                    differences.append("\(flags) \(owner): \(String(describing: status)), \(bench.questions)")
                }
            }
        }
        #expect(Self.constraints.count > 40)
        #expect(differences.isEmpty, "\(differences.count), the first: \(differences.first ?? "")")
        #expect(device.prompts.isEmpty)
    }

    private static func expected(
        _ constraints: AccessConstraints,
        owner: ModelOwner,
        guardsPrivateKeyUsage: Bool
    ) -> (status: Status?, questions: [AuthenticationPrompt.Kind]) {
        // Constraints on anything else permit no use, and nobody is asked.
        guard guardsPrivateKeyUsage || constraints.required.isEmpty else { return (.authenticationFailed, []) }
        var evaluation = EvaluationModel(owner: owner).evaluation(constraints)
        if constraints.requiresApplicationPassword, evaluation.failure == nil {
            if owner.passcode == .unaskable || !owner.mayBeAsked {
                evaluation.failure = .notInteractive
            } else {
                evaluation.questions.append(.applicationPassword)
            }
        }
        return (evaluation.failure.map { KeychainError($0).status }, evaluation.questions)
    }
}

extension ModelAvailability {
    /// What reading a sealed key answers: nothing but a passcode that went takes its public part away.
    fileprivate var readingEnclaveKey: Status? { self == .destroyed ? .itemNotFound : nil }

    /// What using a key answers.
    fileprivate var usingEnclaveKey: Status? {
        switch self {
        case .readable: nil
        case .locked: .interactionNotAllowed
        case .destroyed: .itemNotFound
        }
    }
}
