// SPDX-License-Identifier: Apache-2.0

import KeychainAuthenticators
import KeychainCore
import KeychainEngine
import KeychainHost

@testable import KeychainSimulation

/// What the engine's tests look at.
extension VirtualDevice {
    /// The enclave of its keychain.
    var enclave: KeyEnclave { keychain.enclave }

    /// What was asked so far.
    var prompts: [AuthenticationPrompt.Kind] { owner.authenticator.prompts.map(\.kind) }

    /// The keychain's folder; `nil` for a keychain in memory.
    var path: String? { folder.map { Self.location($0).path } }
}
