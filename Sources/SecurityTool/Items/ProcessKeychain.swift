// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainEngine
import KeychainFiles

/// The keychain of the user who runs this process.
package enum ProcessKeychain {
    /// What carries out requests on it; nothing is read or made before the first one.
    package static func backend() -> any KeychainBackend {
        do throws(FileError) {
            return EmbeddedKeychain(at: try KeychainLocation(environment: ProcessEnvironment.value))
        } catch {
            return UnavailableKeychain(reason: "\(error)", cause: error)
        }
    }
}

/// A keychain whose place cannot be found: every request says why.
private struct UnavailableKeychain: KeychainBackend {
    let reason: String
    let cause: any Error

    func perform(_ request: KeychainRequest) throws(KeychainError) -> KeychainAnswer {
        throw KeychainError(.notAvailable, reason, cause: cause)
    }
}
