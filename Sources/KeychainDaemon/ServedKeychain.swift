// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainEngine

/// A keychain that programs share, and what a daemon has to know of it.
protocol ServedKeychain: KeychainBackend {
    /// Which unlock of the device it is that lasts, another one after each lock and each change of the passcode; `nil`
    /// while it is locked, and without a passcode.
    func currentUnlock() throws(KeychainError) -> UInt64?

    /// The access groups that items are in, as far as they can be known, in an order that stays.
    func accessGroups() throws(KeychainError) -> [String]
}

extension EmbeddedKeychain: ServedKeychain {}
