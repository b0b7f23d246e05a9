// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainSync

/// The synchronizable items of a device.
package protocol SyncItems: AnyObject {
    /// Which items can be opened and written now: none before the first unlock, all while the device is unlocked.
    var available: Set<SyncClass> { get }
    /// The time of the device.
    var now: Timestamp { get }

    /// What is at a slot, an item or a tombstone; known while the device is locked, too. `nil` for nothing.
    func local(at slot: Bytes16) throws -> LocalVersion?
    /// The slots that have an item or a tombstone, in order.
    func slots(after slot: Bytes16?, limit: Int) throws -> [Bytes16]
    /// The slots whose rows are damaged.
    func damaged() throws -> [Bytes16]
    /// The item or tombstone at a slot; `nil` if there is none, if it is locked, or damaged.
    func item(at slot: Bytes16) throws -> SyncItem?
    /// Whether an item that arrives passes the checks of an add: kinds, lengths, groups.
    func accepts(_ item: SyncItem) throws -> Bool
    /// Puts an item that arrived, with its dates; what is there keeps its persistent reference.
    func put(_ item: SyncItem, at slot: Bytes16) throws
    /// Removes an item or a tombstone, and leaves nothing.
    func remove(_ slot: Bytes16) throws
    /// Puts what is at a slot, a change that nobody else has, on the list of what was overwritten, as it is.
    func keepOverwritten(_ slot: Bytes16, by author: Bytes16) throws
}

/// An item or a tombstone of a device, by its version.
package struct LocalVersion: Sendable, Hashable {
    /// Date and digest.
    package let version: SyncVersion
    /// Whether it is a tombstone.
    package let isTombstone: Bool
    /// Whether its row is damaged.
    package let isQuarantined: Bool

    /// A version.
    package init(_ version: SyncVersion, isTombstone: Bool, isQuarantined: Bool = false) {
        self.version = version
        self.isTombstone = isTombstone
        self.isQuarantined = isQuarantined
    }
}

/// A device's store: its items, and what it notes of a zone, in one transaction.
package protocol SyncStore: Sendable {
    /// Runs `body` as one transaction: durable when this returns, undone when it throws.
    func change<Result>(_ body: (SyncTransaction) throws -> Result) throws -> Result
}

/// A transaction of a device's store.
package struct SyncTransaction {
    /// What is noted.
    package let book: any SyncBook
    /// The items.
    package let items: any SyncItems

    /// A transaction.
    package init(_ book: any SyncBook, _ items: any SyncItems) {
        self.book = book
        self.items = items
    }
}
