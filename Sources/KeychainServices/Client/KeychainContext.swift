// SPDX-License-Identifier: Apache-2.0

import KeychainAuthenticators
package import KeychainCore
import KeychainEngine

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

    /// The context that calls of this task have.
    package static var inEffect: KeychainContext { current ?? process }

    /// The person's own keychain, and the client that this process is.
    ///
    /// Found once, at the first call.
    static let process = KeychainContext(
        backend: ProcessKeychain.backend(authenticator: ProcessAuthenticator()),
        client: ProcessClient.current.client
    )
}
