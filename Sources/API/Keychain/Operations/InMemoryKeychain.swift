// SPDX-License-Identifier: Apache-2.0

#if !canImport(Darwin)
import KeychainCore
import KeychainEngine
import KeychainServices

/// A keychain in memory for a test or a preview: empty at first, removed with the object, and otherwise like the real
/// one.
///
/// It follows the rules of the keychain, not those of a dictionary: it can be locked, its items are unique by their
/// keys alone, and it has access groups of its own. Its device has a passcode, and a user whose behaviour ``person``
/// sets. It is only available on Linux. For a device with more features, see `VirtualDevice` in `KeychainTesting`.
public final class InMemoryKeychain: StoredKeychain {
    let store: ItemOperations

    private let device: InMemoryDevice

    /// A keychain.
    ///
    /// - Parameter accessGroups: the groups that may be used; the first is the default.
    public init(accessGroups: [String] = ["com.example.app"]) {
        device = InMemoryDevice()
        let context = KeychainContext(backend: device.keychain, client: Client(accessGroups: accessGroups))
        store = ItemOperations(EngineTransport(context))
    }

    /// The user's response to prompts.
    public var person: Person {
        get { device.person }
        set { device.person = newValue }
    }

    /// Whether the device is locked.
    public var isLocked: Bool {
        get { device.isLocked }
        set { device.isLocked = newValue }
    }

    /// The response of a user who is asked to authenticate.
    public enum Person: Sendable, Hashable, CaseIterable {
        /// Authenticates as requested.
        case agrees
        /// Cancels.
        case cancels
        /// Is another person.
        case isAStranger
    }
}
#endif
