// SPDX-License-Identifier: Apache-2.0

/// What a backup holds, and what it does not.
package struct BackupReport: Sendable, Hashable {
    /// How many items it holds.
    package let items: Int

    /// How many items stay behind because they are bound to their device, by level: by the level itself, or because
    /// they are keys of the enclave.
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
