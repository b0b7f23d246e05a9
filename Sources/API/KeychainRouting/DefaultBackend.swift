// SPDX-License-Identifier: Apache-2.0

import KeychainAuthenticators
import KeychainCore
import KeychainEngine

/// The user's own keychain, for `KeychainServices`.
///
/// `KeychainServices` calls this function by name and imports neither this module nor the engine: a package whose
/// `canImport(Security)` has become true loads everything that `Security` imports, directly or indirectly, and has no
/// module maps for the C modules that the engine uses (Architecture, "Three ways in").
///
/// - Parameter backend: an `any KeychainBackend`, not initialized yet.
@_cdecl("swift_keychain_default_backend")
func initializeDefaultBackend(_ backend: UnsafeMutableRawPointer?) {
    backend?.initializeMemory(
        as: (any KeychainBackend).self,
        to: ProcessKeychain.backend(authenticator: ProcessAuthenticator())
    )
}
