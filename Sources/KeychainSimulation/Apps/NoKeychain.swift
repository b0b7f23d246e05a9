// SPDX-License-Identifier: Apache-2.0

package import KeychainCore

/// What serves calls that are made as no app, or as one that is not installed: nothing.
///
/// Unlike an `UnavailableKeychain` it says so in no log of the process: the test fails for it.
package struct NoKeychain: KeychainBackend {
    private let reason: String

    /// A keychain that answers `errSecNotAvailable` for a reason.
    package init(_ reason: String) { self.reason = reason }

    package func perform(_ request: KeychainRequest) throws(KeychainError) -> KeychainAnswer {
        throw KeychainError(.notAvailable, reason)
    }

    package var device: any KeychainDevice { nothing }

    package var authentication: any AuthenticationService { nothing }

    package var enclave: any KeyEnclave { UnavailableEnclave(KeychainError(.notAvailable, reason)) }

    private var nothing: UnavailableKeychain { UnavailableKeychain(reason: reason, cause: Nothing()) }

    private struct Nothing: Error {}
}
