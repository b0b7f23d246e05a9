// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// An item of a file-based keychain, or a password of the data protection keychain as the macOS front end returns it
/// (Semantics, "References to passwords on macOS").
public final class SecKeychainItem: Hashable, Sendable {
    let reference: KeychainItemReference

    init(_ reference: KeychainItemReference) { self.reference = reference }

    /// Whether both are the same item.
    public static func == (left: SecKeychainItem, right: SecKeychainItem) -> Bool {
        left.reference == right.reference
    }

    /// Feeds what identifies the item.
    public func hash(into hasher: inout Hasher) { hasher.combine(reference) }
}
