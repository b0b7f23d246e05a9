// SPDX-License-Identifier: Apache-2.0

import KeychainStore

/// Stores of keychains in memory that are gone, empty, for the next ones.
///
/// A test makes a device and drops it: most of what that costs is the tables of its store. All calls come from inside
/// the fork gate.
final class SpareStores: @unchecked Sendable {
    /// Those of the process.
    static let shared = SpareStores()

    // Whoever takes a store has it alone; whoever gives one back has let go of it.
    private let lock = ForkSafeLock()
    private var stores: [Store] = []

    /// Enough for tests that run side by side; each is half a mebibyte at most.
    private static let most = 16

    /// An empty store; `nil` when none is left.
    func take() -> Store? {
        lock.acquire()
        defer { lock.release() }
        return stores.popLast()
    }

    /// Keeps a store that nobody uses any more, if it can be emptied.
    func giveBack(_ store: Store) {
        guard store.clear() else { return }
        lock.acquire()
        defer { lock.release() }
        if stores.count < Self.most { stores.append(store) }
    }
}
