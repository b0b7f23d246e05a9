// SPDX-License-Identifier: Apache-2.0

/// What a backup holds, and what it does not.
public struct BackupReport: Sendable, Hashable {
    /// How many items it holds.
    public let items: Int

    /// How many items stay behind because they are bound to their device, by level: by the level itself, or because
    /// they are keys of the enclave.
    public let leftOut: [Accessibility: Int]

    /// How many items are in quarantine, and so not in the backup.
    public let damaged: Int

    /// A report.
    public init(items: Int, leftOut: [Accessibility: Int], damaged: Int) {
        self.items = items
        self.leftOut = leftOut
        self.damaged = damaged
    }
}
