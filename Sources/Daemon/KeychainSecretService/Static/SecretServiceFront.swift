// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainServer

/// The front of a program that is linked statically: there is none, because libsystemd exists as a shared library only.
package final class SecretServiceFront: Sendable {
    /// Serves nothing.
    package init(
        on place: SecretServiceBus,
        _ server: KeychainServer,
        admission: any BusAdmission,
        keychain: any KeychainBackend,
        memory: any KeychainBackend,
        options: SecretServiceOptions = SecretServiceOptions()
    ) {}

    /// Why nothing is served.
    package var state: SecretServiceState { .noBus("this program is linked statically") }

    /// Always fails.
    package func start() throws(KeychainError) {
        throw KeychainError(
            .notAvailable,
            "this program is linked statically, and can connect to no message bus",
            kind: .unavailable
        )
    }

    /// Does nothing.
    package func stop() {}
}
