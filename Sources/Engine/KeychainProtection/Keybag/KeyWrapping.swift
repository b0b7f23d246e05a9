// SPDX-License-Identifier: Apache-2.0

import Crypto
import KeychainCore

/// Wraps the keys of a store, each for its purpose (Documentation/Format.md, "Keys").
///
/// Every key is wrapped under a separate key, which HKDF derives from the slot's key, the store and the purpose: a
/// wrapped key that is substituted for another does not unwrap, even if an attacker can recompute the code of the
/// keybag.
struct KeyWrapping {
    let storeIdentifier: Bytes16
    let slotKey: LockedKey

    /// The purpose of a wrapped key.
    typealias Use = (purpose: Keybag.Entry.Purpose, generation: UInt32)

    /// Wraps keys, each for its own use, in their order.
    func wrap(_ keys: [(use: Use, key: LockedKey)]) throws(ProtectionError) -> [[UInt8]] {
        try withWrappingKeys { (wrappingKey) throws(ProtectionError) in
            var wrapped: [[UInt8]] = []
            for (use, key) in keys {
                let under = wrappingKey(use)
                wrapped.append(
                    try key.withKey { key throws(ProtectionError) in try KeyWrap.wrap(key, under: under) }
                )
            }
            return wrapped
        }
    }

    /// Unwraps keys, in their order.
    func unwrap(_ keys: [(use: Use, wrapped: [UInt8])]) throws(ProtectionError) -> [SymmetricKey] {
        try withWrappingKeys { (wrappingKey) throws(ProtectionError) in
            var unwrapped: [SymmetricKey] = []
            for (use, wrapped) in keys {
                guard let key = KeyWrap.unwrap(wrapped[...], under: wrappingKey(use)) else {
                    throw .damagedKeybag("one of its keys does not unwrap")
                }
                unwrapped.append(key)
            }
            return unwrapped
        }
    }

    func wrap(
        _ key: LockedKey,
        for purpose: Keybag.Entry.Purpose,
        generation: UInt32
    ) throws(ProtectionError) -> [UInt8] {
        try wrap([((purpose, generation), key)]).flatMap(\.self)
    }

    /// Runs `body` with a function that returns the key for a use.
    private func withWrappingKeys<Result>(
        _ body: ((Use) -> SymmetricKey) throws(ProtectionError) -> Result
    ) throws(ProtectionError) -> Result {
        let derivation = KeyDerivation(from: slotKey)
        return try body { use in
            var context = storeIdentifier.bytes + use.purpose.encoded
            context.append(littleEndian: use.generation)
            return derivation.derive("keybag wrapping", context: context)
        }
    }
}

/// AES key wrap (RFC 3394) of 256-bit keys: 32 bytes become 40.
enum KeyWrap {
    static let wrappedByteCount = 40

    static func wrap(_ key: SymmetricKey, under wrappingKey: SymmetricKey) throws(ProtectionError) -> [UInt8] {
        do { return Array(try AES.KeyWrap.wrap(key, using: wrappingKey)) } catch {
            throw .cryptography("AES key wrap: \(error)")
        }
    }

    /// The key; `nil` when the integrity check of RFC 3394 fails.
    static func unwrap(_ wrapped: ArraySlice<UInt8>, under wrappingKey: SymmetricKey) -> SymmetricKey? {
        guard wrapped.count == wrappedByteCount else { return nil }
        return try? AES.KeyWrap.unwrap(wrapped, using: wrappingKey)
    }
}

extension SymmetricKey {
    /// A fresh key of 256 bits, of the system's generator.
    static func random() -> SymmetricKey { SymmetricKey(size: .bits256) }

    /// `withUnsafeBytes` with a typed error.
    func withBytes<Result, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        var result: Swift.Result<Result, Failure>?
        withUnsafeBytes { bytes in
            do throws(Failure) {
                result = .success(try body(bytes))
            } catch {
                result = .failure(error)
            }
        }
        guard let result else { preconditionFailure("withUnsafeBytes calls its body once") }
        return try result.get()
    }
}
