// SPDX-License-Identifier: Apache-2.0

import Crypto
import KeychainCore

/// Wraps the keys of a store, each for what it is for (Documentation/Format.md, "Keys").
///
/// From version 2 on every key is wrapped under a key of its own, which HKDF derives from the slot's key and the purpose:
/// a wrapped key that is put in the place of another does not unwrap, not even for somebody who can make the code of the
/// keybag anew.
struct KeyWrapping {
    let version: Int
    let slotKey: LockedKey

    func wrap(
        _ key: LockedKey,
        _ purpose: Keybag.Entry.Purpose,
        _ generation: UInt32
    ) throws(ProtectionError) -> [UInt8] {
        let wrappingKey = wrappingKey(purpose, generation)
        return try key.withKey { key throws(ProtectionError) in try KeyWrap.wrap(key, under: wrappingKey) }
    }

    func unwrap(
        _ wrapped: [UInt8],
        _ purpose: Keybag.Entry.Purpose,
        _ generation: UInt32
    ) throws(ProtectionError) -> SymmetricKey {
        guard let key = KeyWrap.unwrap(wrapped[...], under: wrappingKey(purpose, generation)) else {
            throw .damagedKeybag("one of its keys does not unwrap")
        }
        return key
    }

    private func wrappingKey(_ purpose: Keybag.Entry.Purpose, _ generation: UInt32) -> SymmetricKey {
        let label = version == 1 ? "keybag wrapping" : "keybag wrapping \(purpose.label) \(generation)"
        return slotKey.withKey { KeyDerivation.derive(label, from: $0) }
    }
}

extension Keybag.Entry.Purpose {
    fileprivate var label: String {
        switch self {
        case .classKey(let accessibility): "class \(accessibility.rawValue)"
        case .metadataKey(let accessibility): "metadata \(accessibility.rawValue)"
        case .index: "index"
        }
    }
}
