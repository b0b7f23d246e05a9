// SPDX-License-Identifier: Apache-2.0

package import KeychainCore
package import KeychainEngine

/// What stands between the apps of a virtual device and its keychain: nothing, but in tests of a connection.
package struct DeviceTransport: Sendable {
    /// What the keychain asks the owner through.
    package let authenticator: @Sendable (any Authenticator) -> any Authenticator

    /// What the apps, and whoever handles the device, reach the keychain through.
    package let backend: @Sendable (EmbeddedKeychain) -> any KeychainBackend

    /// A connection, by both of its directions.
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
