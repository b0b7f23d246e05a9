// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// A program in the access list of an item of a file-based keychain.
public final class SecTrustedApplication: Hashable, Sendable {
    let value: TrustedApplication

    init(_ value: TrustedApplication) { self.value = value }

    /// Whether both are the same program.
    public static func == (left: SecTrustedApplication, right: SecTrustedApplication) -> Bool {
        left.value == right.value
    }

    /// Feeds the path.
    public func hash(into hasher: inout Hasher) { hasher.combine(value) }
}
