// SPDX-License-Identifier: Apache-2.0

/// What a backup contains, and what it does not.
package struct BackupReport: Sendable, Hashable {
    /// The number of items in it.
    package let items: Int

    /// The number of keychain files in it.
    package let files: Int

    /// The number of items that are excluded because they are bound to their device, by accessibility: because of the
    /// accessibility itself, or because they are keys of the enclave.
    package let leftOut: [Accessibility: Int]

    /// How many items are in quarantine, and so not in the backup.
    package let damaged: Int

    /// A report.
    package init(items: Int, files: Int = 0, leftOut: [Accessibility: Int], damaged: Int) {
        self.items = items
        self.files = files
        self.leftOut = leftOut
        self.damaged = damaged
    }
}

/// What came of merging a backup into a keychain, or would come of it.
package struct BackupMergeReport: Sendable, Hashable {
    /// Whether the keychain was changed: not by a trial, and not while there are conflicts without a choice.
    package var isApplied = false

    /// The items that the keychain lacked.
    package var added = Names()

    /// How many items the keychain has just so.
    package var equal = 0

    /// The items that the keychain has with other contents.
    package var differing = Names()

    /// The items that cannot be added, because another item has their identifier, to which an application password is
    /// bound.
    package var refused = Names()

    /// A report of nothing.
    package init() {}

    /// Items: how many, and the first of them.
    package struct Names: Sendable, Hashable {
        /// How many there are.
        package private(set) var count = 0

        /// The first of them.
        package private(set) var first: [BackedUpItem] = []

        /// How many are kept.
        package static let maximumKept = 1_000

        /// None.
        package init() {}

        /// Items that another process counted.
        package init(count: Int, first: [BackedUpItem]) {
            self.count = count
            self.first = first
        }

        /// Adds an item.
        package mutating func add(_ item: BackedUpItem) {
            count += 1
            if first.count < Self.maximumKept { first.append(item) }
        }
    }
}
