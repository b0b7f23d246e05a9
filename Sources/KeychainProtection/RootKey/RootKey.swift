// SPDX-License-Identifier: Apache-2.0

import Crypto
import KeychainCore

/// The device's root key: operations, never bytes, so that a TPM or a daemon can stand behind it.
public protocol RootKey: Sendable {
    /// Wraps a 256-bit key so that only this root key unwraps it.
    func wrap(_ key: SymmetricKey) throws(ProtectionError) -> [UInt8]

    /// Unwraps what ``wrap(_:)`` gave.
    ///
    /// - Throws: ``ProtectionError/wrongRootKey`` when another root key wrapped it or it was altered.
    func unwrap(_ wrapped: [UInt8]) throws(ProtectionError) -> SymmetricKey

    /// Makes a key of what was derived from a passcode, so that it cannot be made where this root key is not.
    ///
    /// The same input gives the same key of 256 bits.
    func entangle(_ input: SecretBytes) throws(ProtectionError) -> SymmetricKey
}

/// A root key held in this process's locked memory.
///
/// Wrapping is AES-256 key wrap (RFC 3394), entangling is HMAC-SHA-256 (RFC 2104), each under a key of its own that
/// HKDF-SHA-256 (RFC 5869) derives from the root key.
public struct SoftwareRootKey: RootKey {
    /// The number of bytes of the key: 32.
    public static let byteCount = LockedKey.byteCount

    private let wrappingKey: LockedKey
    private let entanglingKey: LockedKey

    /// A root key from 32 bytes, which the caller wipes.
    public init(_ bytes: UnsafeRawBufferPointer) throws(ProtectionError) {
        guard bytes.count == Self.byteCount else { throw .wrongRootKey }
        let memory = try LockedMemory(keyCapacity: 2)
        (wrappingKey, entanglingKey) = try Residue.contain { () throws(ProtectionError) in
            let derivation = KeyDerivation.Several(from: SymmetricKey(data: bytes))
            let wrappingKey = try memory.store(derivation.derive("root key wrapping"))
            return (wrappingKey, try memory.store(derivation.derive("passcode entangling")))
        }
    }

    /// A random root key, for a keychain that ends with the process.
    public static func ephemeral() throws(ProtectionError) -> SoftwareRootKey {
        try SymmetricKey.random().withBytes { bytes throws(ProtectionError) in try SoftwareRootKey(bytes) }
    }

    /// Wraps by RFC 3394.
    public func wrap(_ key: SymmetricKey) throws(ProtectionError) -> [UInt8] {
        try wrappingKey.withKey { root throws(ProtectionError) in try KeyWrap.wrap(key, under: root) }
    }

    /// Unwraps by RFC 3394.
    public func unwrap(_ wrapped: [UInt8]) throws(ProtectionError) -> SymmetricKey {
        try wrappingKey.withKey { root throws(ProtectionError) in
            guard let key = KeyWrap.unwrap(wrapped[...], under: root) else { throw .wrongRootKey }
            return key
        }
    }

    /// Entangles by HMAC-SHA-256.
    public func entangle(_ input: SecretBytes) throws(ProtectionError) -> SymmetricKey {
        entanglingKey.withKey { key in input.withUnsafeBytes { Authentication.code($0, under: key) } }
    }
}
