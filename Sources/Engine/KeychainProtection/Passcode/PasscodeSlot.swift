// SPDX-License-Identifier: Apache-2.0

import Crypto
import KeychainCore

/// The slot of a keybag that the passcode opens (Documentation/Format.md, "Passcode slot").
///
/// The key that wraps its key depends on the passcode, by scrypt, and on the root key, so that guessing requires access
/// to the root key.
package struct PasscodeSlot: Sendable, Hashable {
    static let saltByteCount = 32

    /// How much work one passcode is.
    package let work: ScryptParameters

    /// Whose slot it is; not a part of it in the file.
    let storeIdentifier: Bytes16
    let salt: [UInt8]
    let wrappedSlotKey: [UInt8]

    /// The slot's key, derived from the passcode; `nil` if the passcode is wrong.
    ///
    /// Slow by design, depending on ``work``.
    ///
    /// - Throws: ``ProtectionError/noMemory``, and the errors of the root key.
    package func open(_ passcode: SecretBytes, rootKey: any RootKey) throws(ProtectionError) -> SlotKey? {
        try StackMemory.wiped { () throws(ProtectionError) in
            let wrappingKey = try Self.wrappingKey(
                from: passcode,
                salt: salt,
                work: work,
                rootKey: rootKey,
                storeIdentifier: storeIdentifier
            )
            guard let key = KeyWrap.unwrap(wrappedSlotKey[...], under: wrappingKey) else { return nil }
            return try SlotKey(key, of: self)
        }
    }

    fileprivate static func wrappingKey(
        from passcode: SecretBytes,
        salt: [UInt8],
        work: ScryptParameters,
        rootKey: any RootKey,
        storeIdentifier: Bytes16
    ) throws(ProtectionError) -> SymmetricKey {
        let derived = try Scrypt.key(from: passcode, salt: salt, work)
        return try rootKey.entangle(derived.withUnsafeBytes(SecretBytes.init(copying:)), for: storeIdentifier)
    }
}

/// A passcode slot on its way into a keybag: fresh salt, fresh key.
package struct NewPasscodeSlot: Sendable {
    /// The slot's key, which unlocks the keybag that the slot is put into.
    package let key: SlotKey

    let slot: PasscodeSlot

    /// A slot that stays as it is, and its key.
    init(_ slot: PasscodeSlot, _ key: SlotKey) { (self.key, self.slot) = (key, slot) }

    /// Creates a slot for a passcode of a store.
    ///
    /// Slow by design, depending on `work`.
    ///
    /// - Throws: ``ProtectionError/noMemory``, and the errors of the root key.
    package init(
        _ passcode: SecretBytes,
        _ work: ScryptParameters,
        rootKey: any RootKey,
        for storeIdentifier: Bytes16
    ) throws(ProtectionError) {
        (key, slot) = try StackMemory.wiped { () throws(ProtectionError) in
            let key = SymmetricKey.random()
            let salt = [UInt8].random(count: PasscodeSlot.saltByteCount)
            let wrappingKey = try PasscodeSlot.wrappingKey(
                from: passcode,
                salt: salt,
                work: work,
                rootKey: rootKey,
                storeIdentifier: storeIdentifier
            )
            let slot = PasscodeSlot(
                work: work,
                storeIdentifier: storeIdentifier,
                salt: salt,
                wrappedSlotKey: try KeyWrap.wrap(key, under: wrappingKey)
            )
            return (try SlotKey(key, of: slot), slot)
        }
    }
}
