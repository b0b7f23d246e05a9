// SPDX-License-Identifier: Apache-2.0

/// What a backup contains, and what it does not.
package struct BackupCounts: Sendable, Hashable {
    /// The number of items in it.
    package var items = 0

    /// The number of keychain files in it.
    package var files = 0

    /// How many items were left out because they stay on the device, by protection class.
    package var leftOut: [String: Int] = [:]

    /// How many rows were left out because they are in quarantine, or could not be read.
    package var damaged = 0

    /// Nothing yet.
    package init() {}
}
