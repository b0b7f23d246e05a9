// SPDX-License-Identifier: Apache-2.0

public import Keychain

/// The outcome for each of some items.
public struct ItemReport<Outcome: Sendable>: Sendable {
    /// The items with their outcomes, in the given order.
    public private(set) var entries: [Entry] = []

    /// Whether every requested item has an entry; false if items of a selection were left that cannot be listed without
    /// a prompt.
    public internal(set) var isComplete = true

    /// An item, and what became of it.
    public struct Entry: Sendable {
        /// The item.
        public let item: any KeychainItem

        /// The outcome.
        public let outcome: Outcome
    }

    /// The items with an outcome that meets a condition.
    public func items(where condition: (Outcome) -> Bool) -> [any KeychainItem] {
        entries.filter { condition($0.outcome) }.map(\.item)
    }

    mutating func record(_ outcome: Outcome, of item: any KeychainItem) {
        entries.append(Entry(item: item, outcome: outcome))
    }
}

/// Some items cannot be read because the device is locked: nothing was changed.
public struct ItemsLockedError: Error, Sendable, CustomStringConvertible {
    /// The items that cannot be read.
    public let items: [any KeychainItem]

    /// One line, without any secret.
    public var description: String {
        "the device is locked; nothing was changed, and these items cannot be read now: "
            + items.map { "\($0)" }.joined(separator: "; ")
    }
}
