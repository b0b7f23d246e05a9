// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Whether the user may be asked for passwords of keychain files, as `SecKeychainSetUserInteractionAllowed` says: at
/// first, yes.
public final class UserInteraction: Sendable {
    private let state = Atomic(true)

    /// Lets the user be asked.
    public init() {}

    /// Whether the user may be asked; if not, a locked keychain is `errSecInteractionNotAllowed`.
    public var isAllowed: Bool {
        get { state.load(ordering: .relaxed) }
        set { state.store(newValue, ordering: .relaxed) }
    }
}
