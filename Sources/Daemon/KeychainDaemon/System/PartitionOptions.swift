// SPDX-License-Identifier: Apache-2.0

import Glibc
import KeychainAudit
import KeychainCore
import KeychainEngine
import KeychainHost
import KeychainIdentity
import KeychainProtection
import KeychainServer
import KeychainStore
import LoginManager

/// The places of the keychains of the system service, and when they are closed.
package struct PartitionOptions: Sendable {
    /// The folder that has a folder for each user, named by the user ID.
    package var folder = KeychainLocation.systemFolder

    /// After how many seconds without a connection a keychain without unlocked keys is closed.
    package var idleSeconds = 600

    /// The maximum delay of a sleep until all keychains are locked, in milliseconds; a lock takes at most half of what
    /// the login manager waits for by default.
    var sleepMilliseconds = LoginManager.sleepMilliseconds

    /// The name of a user's account on the system; `nil` for a user ID without one.
    package var accountName: @Sendable (UInt32) -> String? = { UserDatabase.name(of: $0) }

    /// The maximum size of one keychain, in MiB.
    package var limitMebibytes = 1024

    /// The options of all keychains' devices, such as the maximum work for a passcode.
    package var device = DeviceOptions()

    /// The room for keychains that are moved here.
    package var moveSpace = MoveSpace()

    /// What to log about the requests of each user; `nil` for nothing.
    package var audit: AuditSettings?

    /// For a message that a log cannot be written.
    var log = DaemonLog(descriptor: -1)

    /// The turns in which keys are derived from passcodes and passwords of all keychains.
    package var derivationTurns = DerivationTurns()

    /// Opens the store of a folder; `nil` for ``store(at:of:)``.
    package var open: (@Sendable (KeychainLocation) throws(KeychainError) -> OpenedStore)?

    /// Identifies programs, and records what it learns of manifests in a folder.
    package var identities: @Sendable (KeychainLocation) throws(KeychainError) -> IdentityService =
        PartitionOptions.makeIdentities

    /// The default places.
    package init() {}

    /// Opens the store of a user's folder, creating it if necessary.
    func store(at location: KeychainLocation, of user: UInt32) throws(KeychainError) -> OpenedStore {
        if let open { return try open(location) }
        var device = device
        device.owner = .system
        device.onEvent = log.noteStoreVersion
        device.authenticator = CallAuthenticator()
        device.derivationTurns = derivationTurns
        // One user's commands must not use up the memory of all.
        device.reserveMemory = CallMemory.reserve
        do throws(DaemonFailure) {
            let store = try ServedStore(at: location, device, limitMebibytes: limitMebibytes, isServed: { false })
            try PartitionAccount.bind(store.folder, to: accountName(user), user)
            return OpenedStore(store)
        } catch {
            if error.status == .storeIsEmbedded { throw KeychainError(ProtectionError.foreignOwner(.embedded)) }
            throw KeychainError(.notAvailable, error.description, kind: .unavailable)
        }
    }

    /// The options of a store that is not larger than ``limitMebibytes``.
    var limitOfStore: StoreOptions {
        var options = StoreOptions()
        options.largestMebibytes = limitMebibytes
        return options
    }

    /// An error that, if there is no room, states the current and maximum size of a folder's keychain.
    func explained(_ error: KeychainError, of location: KeychainLocation) -> KeychainError {
        guard error.status == .diskFull else { return error }
        var status = stat()
        let byteCount = stat("\(location.path)/\(Store.fileName)", &status) == 0 ? Int(status.st_size) : 0
        var error = error
        error.reason +=
            "; the keychain has \(byteCount >> 20) MiB, of at most \(limitMebibytes) MiB in the system service: delete "
            + "items that are no longer needed, or have root raise 'keychaind --keychain-limit'"
        return error
    }

    @Sendable
    private static func makeIdentities(_ location: KeychainLocation) throws(KeychainError) -> IdentityService {
        // Without the folders of the service's own user, which has no programs.
        try IdentityService(IdentityOptions(), recordingAt: location)
    }
}

/// A store that is open.
package final class OpenedStore: Sendable {
    /// Executes commands on it.
    package let keychain: EmbeddedKeychain

    // Its lock is held for as long as it is open.
    private let store: ServedStore?

    /// A store in a folder, which no other process serves meanwhile.
    init(_ store: consuming ServedStore) {
        keychain = store.keychain
        self.store = consume store
    }

    /// A keychain without a folder.
    package init(_ keychain: EmbeddedKeychain) {
        self.keychain = keychain
        store = nil
    }
}
