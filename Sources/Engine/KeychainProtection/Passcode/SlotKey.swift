// SPDX-License-Identifier: Apache-2.0

import Crypto
import KeychainCore

/// The key of a keybag's passcode slot, in locked memory: the result of a correct passcode.
package struct SlotKey: Sendable {
    let key: LockedKey

    /// The slot that it is of; `nil` for one that another process handed over.
    let slot: PasscodeSlot?

    init(_ key: SymmetricKey, of slot: PasscodeSlot?) throws(ProtectionError) {
        self.key = try LockedMemory(keyCapacity: 1).store(key)
        self.slot = slot
    }
}

extension SlotKey {
    /// A slot key in transit to another process, in two halves that take separate paths.
    ///
    /// Either half alone is worthless: one is a random key, the other the slot key wrapped by AES key wrap (RFC 3394)
    /// under a key that HKDF-SHA-256 (RFC 5869) derives from it for this store.
    package struct Handover: Sendable {
        /// The random key, which is nothing but the input of derivations: 32 bytes.
        package let key: SecretBytes
        /// The wrapped slot key: 40 bytes.
        package let wrapped: [UInt8]

        /// Two halves that arrived.
        package init(key: SecretBytes, wrapped: [UInt8]) {
            self.key = key
            self.wrapped = wrapped
        }
    }

    /// Two fresh halves of the key, for a store.
    package func makeHandover(store: Bytes16) throws(ProtectionError) -> Handover {
        let half = SymmetricKey.random()
        let wrapping = Self.wrappingKey(half, store)
        let wrapped = try key.withKey { key throws(ProtectionError) in try KeyWrap.wrap(key, under: wrapping) }
        return Handover(key: half.withUnsafeBytes(SecretBytes.init(copying:)), wrapped: wrapped)
    }

    /// Combines two halves; `nil` if they do not match each other or the store, or if the key's memory cannot be
    /// allocated.
    package init?(_ handover: Handover, store: Bytes16) {
        guard handover.key.count == LockedKey.byteCount else { return nil }
        let half = handover.key.withUnsafeBytes { SymmetricKey(data: $0) }
        guard let key = KeyWrap.unwrap(handover.wrapped[...], under: Self.wrappingKey(half, store)),
            let slotKey = try? SlotKey(key, of: nil)
        else { return nil }
        self = slotKey
    }

    private static func wrappingKey(_ half: SymmetricKey, _ store: Bytes16) -> SymmetricKey {
        KeyDerivation.derive("handover wrapping", from: half, context: store.bytes)
    }
}
