// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Whether the user may be prompted for passwords of keychain files, as set by `SecKeychainSetUserInteractionAllowed`:
/// initially, yes.
package final class UserInteraction: Sendable {
    private let state = Atomic(true)

    /// Allows prompts.
    package init() {}

    /// Whether the user may be prompted; if not, a locked keychain is `errSecInteractionNotAllowed`.
    package var isAllowed: Bool {
        get { state.load(ordering: .relaxed) }
        set { state.store(newValue, ordering: .relaxed) }
    }
}
