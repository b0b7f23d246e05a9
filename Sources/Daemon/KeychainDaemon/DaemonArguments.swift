// SPDX-License-Identifier: Apache-2.0

import KeychainAudit
import KeychainCore

/// The service that `keychaind` provides, and its options.
struct DaemonArguments: Hashable {
    /// The service.
    var service = Service.user

    /// The service of a daemon.
    enum Service: Hashable, CaseIterable {
        /// The store of the user who runs it.
        case user
        /// Only keychain files of the user who runs it.
        case files
        /// All users, each with their own store.
        case system
    }

    /// The folder of the user's keychain, or that of all users' stores; `nil` for the one that the environment names,
    /// or the default one of the system service.
    var store: String?

    /// The socket to listen on; `nil` for the one that programs look for.
    var socket: String?

    /// Whether to move to the background once it listens.
    var isInBackground = false

    /// The number of idle seconds before it exits, unless the daemon holds unlocked keys; `nil` for never.
    var idleSeconds: Int?

    /// The idle timeout that is in effect: none for a message bus, which nothing would start again for the programs
    /// that have its address.
    var idleLimit: Int? { secretService?.bus == nil ? idleSeconds : nil }

    /// The maximum size of a user's keychain in the system service, in MiB; `nil` for the default.
    var keychainLimit: Int?

    /// Overrides the audit settings beside the store; `nil` to use those.
    ///
    /// The system service has no other settings.
    var audit: AuditSettings?

    /// How the Secret Service is served; `nil` where it is not.
    var secretService: SecretServiceArguments?
}

/// How a daemon serves the Secret Service.
struct SecretServiceArguments: Hashable {
    /// The socket of a bus of the daemon's own; `nil` for the session bus.
    var bus: String?

    /// The descriptor from which the passcode is read when it starts; `nil` for none.
    var unlockDescriptor: Int32?

    /// The program that prompts; `nil` for the one that the user's surroundings specify.
    var pinentry: String?
}
