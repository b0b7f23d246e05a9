// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import Synchronization

/// A program in the access list of an item of a file-based keychain.
public final class SecTrustedApplication: Hashable, Sendable {
    private let program: Mutex<TrustedApplication>

    /// The current program.
    var value: TrustedApplication {
        get { program.withLock { $0 } }
        set { program.withLock { $0 = newValue } }
    }

    init(_ value: TrustedApplication) { program = Mutex(value) }

    /// Whether both are the same program.
    public static func == (left: SecTrustedApplication, right: SecTrustedApplication) -> Bool {
        left.value == right.value
    }

    /// Feeds the path.
    public func hash(into hasher: inout Hasher) { hasher.combine(value) }
}
