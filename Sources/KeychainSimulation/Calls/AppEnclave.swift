// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// The enclave of a device as an app reaches it: making and using a key is a call like those on items.
struct AppEnclave: KeyEnclave {
    let keychain: AppKeychain

    var kind: KeyEnclaveKind { keychain.backend.enclave.kind }

    var isAvailable: Bool { keychain.backend.enclave.isAvailable }

    func makeKey(
        _ algorithm: EnclaveAlgorithm,
        _ accessControl: AccessControl,
        _ context: AuthenticationContext?
    ) throws(KeychainError) -> EnclaveKey {
        let query = ["algorithm": "\(algorithm)", "pdmn": accessControl.protection.rawValue]
        return try keychain.perform(.makeEnclaveKey, query) { (backend) throws(KeychainError) in
            try backend.enclave.makeKey(algorithm, accessControl, context)
        }
    }

    /// Looks at the public part: no use of the key, and so no call.
    func key(_ sealed: SecretBytes) throws(KeychainError) -> EnclaveKey { try keychain.backend.enclave.key(sealed) }

    func perform(
        _ operation: EnclaveOperation,
        with sealed: SecretBytes,
        _ context: AuthenticationContext?
    ) throws(KeychainError) -> SecretBytes {
        try keychain.perform(.useEnclaveKey, ["use": operation.name]) { (backend) throws(KeychainError) in
            try backend.enclave.perform(operation, with: sealed, context)
        }
    }
}

extension EnclaveOperation {
    fileprivate var name: String {
        switch self {
        case .sign: "sign a digest"
        case .agree: "agree on a secret"
        case .decapsulate: "decapsulate"
        case .signMessage: "sign a message"
        }
    }
}
