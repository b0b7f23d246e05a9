// SPDX-License-Identifier: Apache-2.0

import Crypto
import KeychainCore

/// Some of the unwrapped keys of a store, in one block of locked memory that is released with the last copy.
struct StoreKeys: Sendable {
    /// Whether the keys are kept out of swap: the system can refuse to lock memory.
    let areLocked: Bool

    private let keys: [Keybag.Entry.Purpose: LockedKey]

    /// Generated or unwrapped keys, each for a different purpose.
    init(_ given: [(Keybag.Entry.Purpose, SymmetricKey)]) throws(ProtectionError) {
        let memory = try LockedMemory(keyCapacity: given.count)
        var keys: [Keybag.Entry.Purpose: LockedKey] = [:]
        keys.reserveCapacity(given.count)
        for (purpose, key) in given { keys[purpose] = try memory.store(key) }
        self.keys = keys
        areLocked = memory.isLocked
    }

    /// Fresh keys.
    init(fresh purposes: [Keybag.Entry.Purpose]) throws(ProtectionError) {
        var bytes = [UInt8].random(count: purposes.count * LockedKey.byteCount)
        defer { bytes.wipe() }
        let keys = purposes.indices.map { index in
            let start = index * LockedKey.byteCount
            return bytes.withUnsafeBytes { SymmetricKey(data: $0[start..<start + LockedKey.byteCount]) }
        }
        try self.init(Array(zip(purposes, keys)))
    }

    /// Unwraps the keys of entries, which are under one slot.
    ///
    /// - Throws: ``ProtectionError/damagedKeybag(_:)``, ``ProtectionError/noMemory``.
    init(_ entries: [Keybag.Entry], _ wrapping: KeyWrapping) throws(ProtectionError) {
        let unwrapped = try wrapping.unwrap(entries.map { (($0.purpose, $0.generation), $0.wrappedKey) })
        try self.init(zip(entries, unwrapped).map { ($0.purpose, $1) })
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
