// SPDX-License-Identifier: Apache-2.0

/// What a backup contains, and what it does not.
package struct BackupReport: Sendable, Hashable {
    /// The number of items in it.
    package let items: Int

    /// The number of items that are excluded because they are bound to their device, by accessibility: because of the
    /// accessibility itself, or because they are keys of the enclave.
    package let leftOut: [Accessibility: Int]

    /// How many items are in quarantine, and so not in the backup.
    package let damaged: Int

    /// A report.
    package init(items: Int, leftOut: [Accessibility: Int], damaged: Int) {
        self.items = items
        self.leftOut = leftOut
        self.damaged = damaged
    }
}
