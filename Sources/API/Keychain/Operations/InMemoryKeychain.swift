// SPDX-License-Identifier: Apache-2.0

#if !canImport(Darwin)
import KeychainCore
import KeychainEngine
import KeychainServices

/// A keychain in memory for a test or a preview: empty at first, gone with the object, and in everything else as the
/// real one.
///
/// It has the rules of the keychain and not a dictionary's: it can be locked, its items are unique by their keys and
/// nothing else, and it has access groups of its own. Its device has a passcode, and a user who is asked by what
/// ``person`` says. It is here on Linux only. For a device that does more, see `VirtualDevice` in `KeychainTesting`.
public final class InMemoryKeychain: StoredKeychain {
    let store: ItemStore

    private let device: InMemoryDevice

    /// A keychain.
    ///
    /// - Parameter accessGroups: the groups that may be used; the first is the default.
    public init(accessGroups: [String] = ["com.example.app"]) {
        device = InMemoryDevice()
        let context = KeychainContext(backend: device.keychain, client: Client(accessGroups: accessGroups))
        store = ItemStore(EngineTransport(context))
    }

    /// What the user does when asked.
    public var person: Person {
        get { device.person }
        set { device.person = newValue }
    }

    /// Whether the device is locked.
    public var isLocked: Bool {
        get { device.isLocked }
        set { device.isLocked = newValue }
    }

    /// What a user does when asked who they are.
    public enum Person: Sendable, Hashable, CaseIterable {
        /// Shows what is asked for.
        case agrees
        /// Cancels.
        case cancels
        /// Is somebody else.
        case isAStranger
    }
}
#endif
