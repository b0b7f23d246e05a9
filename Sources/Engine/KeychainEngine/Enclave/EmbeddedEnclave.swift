// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainProtection

/// The software enclave of an embedded keychain: its device seals the keys, and only that device can open them.
///
/// The constraints of its access control guard the use of a key where they are on that (`privateKeyUsage`); a key with
/// other constraints can be made, and not used. Reading its public part is free.
struct EmbeddedEnclave {
    let access: EngineAccess
    let evaluator: Evaluator

    func perform(_ command: KeychainCommand.Enclave) throws(KeychainError) -> KeychainReply {
        switch command {
        case .kind: .enclave(.software)
        case .makeKey(let algorithm, let accessControl, let context):
            .enclaveKey(
                try withEngine(context, for: .preparing) { (engine, authorization) throws(KeychainError) in
                    try engine.makeEnclaveKey(algorithm, accessControl: accessControl, under: authorization)
                }
            )
        case .key(let sealed):
            .enclaveKey(
                try access.withEngine(.reading) { (engine) throws(KeychainError) in try engine.enclaveKey(sealed) }
            )
        case .use(let operation, let sealed, let context):
            .secret(
                try withEngine(context) { (engine, authorization) throws(KeychainError) in
                    try engine.perform(operation, with: sealed, authorization)
                }
            )
        }
    }

    private func withEngine<Result>(
        _ context: AuthenticationContext?,
        for use: EngineAccess.Use = .reading,
        _ body: (Engine, Authorization) throws(KeychainError) -> Result
    ) throws(KeychainError) -> Result {
        let authorization = Authorization(evaluator)
        authorization.begin(context)
        return try access.withEngine(authorization, for: use, body)
    }
}
