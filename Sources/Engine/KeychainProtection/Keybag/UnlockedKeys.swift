// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// The keys that a passcode unlocks, in two blocks of locked memory: a lock of the device drops one, and keeps the
/// other.
///
/// A block is wiped when the last copy of a value that holds it is released.
package struct UnlockedKeys: Sendable {
    private let owner: Owner
    private let outlivingLock: StoreKeys
    private let untilLock: StoreKeys?

    /// The store and the passcode to which the keys belong; a passcode after a removal counts as a different one.
    struct Owner: Sendable, Hashable {
        let storeIdentifier: Bytes16
        let passcodeGeneration: UInt32
    }

    init(_ owner: Owner, outlivingLock: StoreKeys, untilLock: StoreKeys?) {
        self.owner = owner
        self.outlivingLock = outlivingLock
        self.untilLock = untilLock
    }

    /// Whether only what outlives a lock is left.
    package var isLocked: Bool { untilLock == nil }

    /// Only what outlives a lock.
    package func locked() -> UnlockedKeys { UnlockedKeys(owner, outlivingLock: outlivingLock, untilLock: nil) }

    /// The key for a purpose; `nil` when it is not among these, or for another keybag than that which was unlocked.
    func key(_ purpose: Keybag.Entry.Purpose, for keybag: Keybag) -> LockedKey? {
        guard owner == keybag.keyOwner else { return nil }
        return outlivingLock[purpose] ?? untilLock?[purpose]
    }
}

extension Keybag {
    /// Whose keys its passcode unlocks.
    var keyOwner: UnlockedKeys.Owner {
        UnlockedKeys.Owner(storeIdentifier: storeIdentifier, passcodeGeneration: passcodeGeneration)
    }
}
