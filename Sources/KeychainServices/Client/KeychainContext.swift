// SPDX-License-Identifier: Apache-2.0

package import KeychainCore
import KeychainEngine
import KeychainFiles

/// Which keychain serves the calls of a task, and for which client.
package struct KeychainContext: Sendable {
    /// What carries out requests.
    package var backend: any KeychainBackend

    /// Who asks.
    package var client: Client

    /// A context.
    package init(backend: any KeychainBackend, client: Client) {
        self.backend = backend
        self.client = client
    }

    /// The context of a task, as tests set it; `nil` for the one of the process.
    @TaskLocal package static var current: KeychainContext?

    /// The person's own keychain, and the client that this process is.
    ///
    /// Found once, at the first call.
    static let process = KeychainContext(backend: processBackend(), client: ProcessClient.current.client)

    private static func processBackend() -> any KeychainBackend {
        do throws(FileError) {
            return EmbeddedKeychain(at: try KeychainLocation(environment: ProcessEnvironment.value))
        } catch {
            return UnavailableKeychain(reason: "\(error)", cause: error)
        }
    }
}

/// A keychain whose place cannot be found: every call says why.
private struct UnavailableKeychain: KeychainBackend {
    let reason: String
    let cause: any Error

    func perform(_ request: KeychainRequest) throws(KeychainError) -> KeychainAnswer {
        throw KeychainError(.notAvailable, reason, cause: cause)
    }
}
