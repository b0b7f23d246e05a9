// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// The file-based keychain of a Mac, as far as it is known.
package enum KnownFileKeychain: Sendable {
    /// Nothing is known about it.
    case unknown
    /// It does not exist.
    case missing
    /// Its items, as dictionaries of an add, and whether it is locked.
    case items([PropertyDictionary], isLocked: Bool)
}
