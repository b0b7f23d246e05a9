// SPDX-License-Identifier: Apache-2.0

import Crypto
import KeychainCore

/// The unwrapped keys of a store, in locked memory.
struct ClassKeys: Sendable {
    /// The generation of the class keys that seal new rows.
    let generation: UInt32

    /// The key of the search tags.
    let index: LockedKey

    /// Whether the keys are kept out of swap: the system can refuse to lock memory.
    let areLocked: Bool

    private let classKeys: [Accessibility: LockedKey]
    private let metadataKeys: [Accessibility: LockedKey]

    init(_ keybag: Keybag, wrappingKey: SymmetricKey) throws(ProtectionError) {
        let memory = try LockedMemory(keyCapacity: keybag.entries.count)
        var classKeys: [Accessibility: LockedKey] = [:]
        var metadataKeys: [Accessibility: LockedKey] = [:]
        var index: LockedKey?
        for entry in keybag.entries {
            guard entry.generation == keybag.generation,
                let key = KeyWrap.unwrap(entry.wrappedKey[...], under: wrappingKey)
            else { throw .damagedKeybag("one of its keys does not unwrap") }
            switch entry.purpose {
            case .classKey(let accessibility): classKeys[accessibility] = try memory.store(key)
            case .metadataKey(let accessibility): metadataKeys[accessibility] = try memory.store(key)
            case .index: index = try memory.store(key)
            }
        }
        guard let index else { throw .damagedKeybag("it has no index key") }
        self.index = index
        areLocked = memory.isLocked
        self.classKeys = classKeys
        self.metadataKeys = metadataKeys
        generation = keybag.generation
    }

    /// The key that wraps row keys of a protection class; `nil` when the keybag has none.
    func classKey(_ accessibility: Accessibility) -> LockedKey? { classKeys[accessibility] }

    /// The key that seals the metadata of a protection class; `nil` when the keybag has none.
    func metadataKey(_ accessibility: Accessibility) -> LockedKey? { metadataKeys[accessibility] }
}
