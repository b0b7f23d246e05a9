// SPDX-License-Identifier: Apache-2.0

import KeychainHost
import KeychainStore

/// Empty stores of released in-memory keychains, for reuse.
///
/// A test creates a device and drops it: most of that cost is the creation of the store's tables. All calls come from
/// inside the fork gate.
final class SpareStores: @unchecked Sendable {
    /// Those of the process.
    static let shared = SpareStores()

    // A caller that takes a store owns it exclusively; a caller that returns one keeps no reference to it.
    private let lock = ForkSafeLock()
    private var stores: [Store] = []

    /// Enough for tests that run side by side; each is half a mebibyte at maximum.
    private static let maximum = 16

    /// An empty store; `nil` when none is left.
    func take() -> Store? {
        lock.acquire()
        defer { lock.release() }
        return stores.popLast()
    }

    /// Keeps a store that is no longer in use, if it can be emptied.
    func giveBack(_ store: Store) {
        guard store.clear() else { return }
        lock.acquire()
        defer { lock.release() }
        if stores.count < Self.maximum { stores.append(store) }
    }
}
