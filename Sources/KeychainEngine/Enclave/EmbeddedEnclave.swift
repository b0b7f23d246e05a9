// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainProtection

/// The software enclave of an embedded keychain: its device seals the keys, and nobody else opens them.
///
/// All use of a key is guarded by the constraints of its access control, whether or not they name the use of a private key:
/// there is nothing else in a key that they could guard. Reading its public part is free.
struct EmbeddedEnclave: KeyEnclave {
    private let access: EngineAccess
    private let evaluator: Evaluator

    init(_ access: EngineAccess, _ evaluator: Evaluator) {
        self.access = access
        self.evaluator = evaluator
    }

    var kind: KeyEnclaveKind { .software }

    var isAvailable: Bool { true }

    func makeKey(
        _ algorithm: EnclaveAlgorithm,
        _ accessControl: AccessControl,
        _ context: AuthenticationContext?
    ) throws(KeychainError) -> EnclaveKey {
        try access.withEngine(authorization(context), .reading) { (engine, authorization) throws(KeychainError) in
            try engine.makeEnclaveKey(algorithm, accessControl, authorization)
        }
    }

    func key(_ sealed: SecretBytes) throws(KeychainError) -> EnclaveKey {
        try access.withEngine(.reading) { (engine) throws(KeychainError) in try engine.enclaveKey(sealed) }
    }

    func perform(
        _ operation: EnclaveOperation,
        with sealed: SecretBytes,
        _ context: AuthenticationContext?
    ) throws(KeychainError) -> SecretBytes {
        try access.withEngine(authorization(context), .reading) { (engine, authorization) throws(KeychainError) in
            try engine.perform(operation, with: sealed, authorization)
        }
    }

    private func authorization(_ context: AuthenticationContext?) -> Authorization {
        let authorization = Authorization(evaluator)
        authorization.begin(context)
        return authorization
    }
}
