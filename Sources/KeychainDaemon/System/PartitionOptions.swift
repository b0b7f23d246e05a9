// SPDX-License-Identifier: Apache-2.0

import HostFiles
import KeychainCore
import KeychainEngine
import KeychainIdentity
import KeychainProtection
import KeychainServer

/// The places of the keychains of the system service, and when they are closed.
package struct PartitionOptions: Sendable {
    /// The folder that has a folder for each user, named by the user ID.
    package var folder = "/var/lib/swift-keychain"

    /// After how many seconds without a connection a keychain without unlocked keys is closed.
    package var idleSeconds = 600

    /// Whether a user has an account on the system.
    package var isKnown: @Sendable (UInt32) -> Bool = { UserDatabase.has($0) }

    /// The work that a passcode may ask for, of keychains that are moved here.
    package var device = DeviceOptions()

    /// The room for keychains that are moved here.
    package var moveSpace = MoveSpace()

    /// Opens the store of a folder.
    package var open: @Sendable (KeychainLocation) throws(KeychainError) -> OpenedStore = PartitionOptions.openStore

    /// Identifies programs, and records what it learns of manifests in a folder.
    package var identities: @Sendable (KeychainLocation) throws(KeychainError) -> IdentityService =
        PartitionOptions.makeIdentities

    /// The default places.
    package init() {}

    @Sendable
    private static func openStore(_ location: KeychainLocation) throws(KeychainError) -> OpenedStore {
        do throws(DaemonFailure) {
            return OpenedStore(
                try ServedStore(at: location, owner: .system, authenticator: CallAuthenticator(), isServed: { false })
            )
        } catch {
            if error.status == .storeIsEmbedded { throw KeychainError(ProtectionError.foreignOwner(.embedded)) }
            throw KeychainError(.notAvailable, error.description, kind: .unavailable)
        }
    }

    @Sendable
    private static func makeIdentities(_ location: KeychainLocation) throws(KeychainError) -> IdentityService {
        let folder: PrivateDirectory
        do { folder = try PrivateDirectory(location) } catch {
            throw KeychainError(.notAvailable, "\(error)", kind: .storage(.file), facts: error.facts)
        }
        // Without the folders of the service's own user, which has no programs.
        return try IdentityService(IdentityOptions(), folder: folder, hasStoreOfPrograms: false)
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
