// SPDX-License-Identifier: Apache-2.0

package import KeychainCore
package import KeychainEngine

/// The connection between the apps of a virtual device and its keychain: direct calls, except in tests of the daemon's
/// protocol.
package struct DeviceTransport: Sendable {
    /// Through which the keychain prompts the owner.
    package let authenticator: @Sendable (any Authenticator) -> any Authenticator

    /// Through which the apps and the device itself reach the keychain.
    package let backend: @Sendable (EmbeddedKeychain) -> any KeychainBackend

    /// Both directions of a connection.
    package init(
        authenticator: @escaping @Sendable (any Authenticator) -> any Authenticator,
        backend: @escaping @Sendable (EmbeddedKeychain) -> any KeychainBackend
    ) {
        self.authenticator = authenticator
        self.backend = backend
    }

    /// Calls in this process.
    package static let direct = DeviceTransport(authenticator: { $0 }, backend: { $0 })
}
