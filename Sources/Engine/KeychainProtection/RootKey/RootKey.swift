// SPDX-License-Identifier: Apache-2.0

import Crypto
import KeychainCore

/// The device's root key: operations, never bytes, so that it can be kept by a TPM or a daemon.
///
/// Each operation is bound to a store: a key that is wrapped for one does not unwrap for another.
package protocol RootKey: Sendable {
    /// The kind of key.
    var kind: RootKeyKind { get }

    /// The digest of the settings that led to it, which the code of a keybag covers; `nil` for a key that has none.
    var settingsDigest: SHA256Digest? { get }

    /// Wraps a 256-bit key so that only this root key unwraps it.
    func wrap(_ key: SymmetricKey, for storeIdentifier: Bytes16) throws(ProtectionError) -> [UInt8]

    /// Unwraps the result of ``wrap(_:for:)``.
    ///
    /// - Throws: ``ProtectionError/wrongRootKey`` if it was wrapped by another root key, or for another store, or was
    ///   modified.
    func unwrap(_ wrapped: [UInt8], for storeIdentifier: Bytes16) throws(ProtectionError) -> SymmetricKey

    /// Combines a value derived from a passcode with this root key, so that the result cannot be computed without it.
    ///
    /// The same input results in the same key of 256 bits.
    func entangle(_ input: SecretBytes, for storeIdentifier: Bytes16) throws(ProtectionError) -> SymmetricKey
}

extension RootKey {
    /// `nil`: it has no settings.
    package var settingsDigest: SHA256Digest? { nil }
}

/// A root key held in this process's locked memory.
///
/// Wrapping is AES-256 key wrap (RFC 3394), entangling is HMAC-SHA-256 (RFC 2104), each under a separate key that
/// HKDF-SHA-256 (RFC 5869) derives from the root key for one store.
package struct SoftwareRootKey: RootKey {
    /// The number of bytes of the key: 32.
    package static let byteCount = LockedKey.byteCount

    /// A key in memory, secret or published.
    package let kind: RootKeyKind

    private let key: LockedKey

    /// A root key from 32 bytes, which the caller wipes.
    package init(_ bytes: UnsafeRawBufferPointer) throws(ProtectionError) { try self.init(bytes, .software) }

    private init(_ bytes: UnsafeRawBufferPointer, _ kind: RootKeyKind) throws(ProtectionError) {
        guard bytes.count == Self.byteCount else { throw .wrongRootKey }
        self.kind = kind
        let memory = try LockedMemory(keyCapacity: 1)
        key = try memory.store(SymmetricKey(data: bytes))
    }

    /// A random root key, for a keychain that ends with the process.
    package static func ephemeral() throws(ProtectionError) -> SoftwareRootKey {
        try SymmetricKey.random().withBytes { bytes throws(ProtectionError) in try SoftwareRootKey(bytes) }
    }

    /// The root key of keychain files: 32 zeros.
    ///
    /// It protects nothing. As on macOS, anyone with read permission can copy such a file and read its attributes;
    /// secrets are protected by the password alone (Documentation/Format.md, "Keychain files").
    package static func published() throws(ProtectionError) -> SoftwareRootKey {
        let zeros = [UInt8](repeating: 0, count: byteCount)
        let key = zeros.withUnsafeBytes { bytes in
            Result { () throws(ProtectionError) in try SoftwareRootKey(bytes, .published) }
        }
        return try key.get()
    }

    /// Wraps by RFC 3394.
    package func wrap(_ key: SymmetricKey, for storeIdentifier: Bytes16) throws(ProtectionError) -> [UInt8] {
        try withKey(for: "root key wrapping", of: storeIdentifier) { wrappingKey throws(ProtectionError) in
            try KeyWrap.wrap(key, under: wrappingKey)
        }
    }

    /// Unwraps by RFC 3394.
    package func unwrap(_ wrapped: [UInt8], for storeIdentifier: Bytes16) throws(ProtectionError) -> SymmetricKey {
        try withKey(for: "root key wrapping", of: storeIdentifier) { wrappingKey throws(ProtectionError) in
            guard let key = KeyWrap.unwrap(wrapped[...], under: wrappingKey) else { throw .wrongRootKey }
            return key
        }
    }

    /// Entangles by HMAC-SHA-256.
    package func entangle(
        _ input: SecretBytes,
        for storeIdentifier: Bytes16
    ) throws(ProtectionError) -> SymmetricKey {
        try withKey(for: "passcode entangling", of: storeIdentifier) { entanglingKey throws(ProtectionError) in
            input.withUnsafeBytes { MessageAuthentication.code($0, under: entanglingKey) }
        }
    }

    fileprivate func withKey<Result>(
        for purpose: String,
        of storeIdentifier: Bytes16,
        _ body: (SymmetricKey) throws(ProtectionError) -> Result
    ) throws(ProtectionError) -> Result {
        try body(KeyDerivation.derive(purpose, from: key, context: storeIdentifier.bytes))
    }
}

extension SoftwareRootKey: ProvableRootKey {
    /// HMAC-SHA-256 over the slot.
    package func receipt(
        for storeIdentifier: Bytes16,
        _ slot: PasscodeSlot?
    ) throws(ProtectionError) -> SecretBytes {
        let input = slot.map { $0.work.encoded + $0.salt + $0.wrappedSlotKey } ?? []
        return try withKey(for: "move receipt", of: storeIdentifier) { key throws(ProtectionError) in
            let code = input.withUnsafeBytes { MessageAuthentication.code($0, under: key) }
            return code.withUnsafeBytes { SecretBytes(copying: $0) }
        }
    }
}
