// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// Who may use an item of a file-based keychain.
public final class SecAccess: Hashable, Sendable {
    let value: ItemAccess

    init(_ value: ItemAccess) { self.value = value }

    /// Whether both say the same.
    public static func == (left: SecAccess, right: SecAccess) -> Bool { left.value == right.value }

    /// Feeds what it says.
    public func hash(into hasher: inout Hasher) { hasher.combine(value) }
}
