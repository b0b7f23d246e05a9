// SPDX-License-Identifier: Apache-2.0

import Crypto
import KeychainCore

/// Some of the keys of a store, unwrapped, in one block of locked memory that goes when the last copy of this goes.
struct StoreKeys: Sendable {
    /// Whether the keys are kept out of swap: the system can refuse to lock memory.
    let areLocked: Bool

    private let keys: [Keybag.Entry.Purpose: LockedKey]

    /// Keys made or unwrapped one by one.
    init(
        _ purposes: [Keybag.Entry.Purpose],
        _ key: (Keybag.Entry.Purpose) throws(ProtectionError) -> SymmetricKey
    ) throws(ProtectionError) {
        let memory = try LockedMemory(keyCapacity: purposes.count)
        var keys: [Keybag.Entry.Purpose: LockedKey] = [:]
        for purpose in purposes { keys[purpose] = try memory.store(try key(purpose)) }
        self.keys = keys
        areLocked = memory.isLocked
    }

    /// Fresh keys.
    init(fresh purposes: [Keybag.Entry.Purpose]) throws(ProtectionError) {
        try self.init(purposes) { (_) throws(ProtectionError) in SymmetricKey.random() }
    }

    /// The keys of entries, which are under one slot.
    ///
    /// - Throws: ``ProtectionError/damagedKeybag(_:)``, ``ProtectionError/noMemory``.
    init(_ entries: [Keybag.Entry], _ wrapping: KeyWrapping) throws(ProtectionError) {
        let entries = Dictionary(entries.map { ($0.purpose, $0) }) { first, _ in first }
        try self.init(Array(entries.keys)) { (purpose) throws(ProtectionError) in
            guard let entry = entries[purpose] else { throw .damagedKeybag("it lacks a key") }
            return try wrapping.unwrap(entry.wrappedKey, purpose, entry.generation)
        }
    }

    /// The key for a purpose; `nil` when it is not among these.
    subscript(purpose: Keybag.Entry.Purpose) -> LockedKey? { keys[purpose] }

    /// The key for a purpose.
    ///
    /// - Throws: ``ProtectionError/classUnavailable(_:)`` when it is not among these.
    func key(_ purpose: Keybag.Entry.Purpose) throws(ProtectionError) -> LockedKey {
        guard let key = self[purpose] else { throw .classUnavailable(purpose.accessibility?.rawValue ?? "") }
        return key
    }
}
