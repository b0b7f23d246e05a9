// SPDX-License-Identifier: Apache-2.0

import Crypto
import KeychainCore

/// The keys of application passwords: scrypt, then HMAC-SHA-256 under a key that HKDF derives from the index key.
///
/// So guesses need the store's own keys, and those of one store are worth nothing for another.
extension OpenKeybag {
    /// The key that a password gives for items with a header; `nil` when the password is wrong.
    ///
    /// Slow by design, as the header says.
    ///
    /// - Throws: ``ProtectionError/noMemory``.
    public func passwordKey(
        _ password: SecretBytes,
        _ header: PasswordHeader
    ) throws(ProtectionError) -> PasswordKey? {
        let key = try derive(password, header.salt, header.work)
        return header.isRight(key) ? PasswordKey(header: header, key: key) : nil
    }

    /// The key of a password that an item is given, with a header of its own.
    ///
    /// Slow by design, as `work` says.
    ///
    /// - Throws: ``ProtectionError/noMemory``.
    public func newPasswordKey(
        _ password: SecretBytes,
        _ work: ScryptParameters
    ) throws(ProtectionError) -> PasswordKey {
        let (header, key) = try PasswordHeader.make(work) { (salt) throws(ProtectionError) in
            try derive(password, salt, work)
        }
        return PasswordKey(header: header, key: key)
    }

    private func derive(
        _ password: SecretBytes,
        _ salt: [UInt8],
        _ work: ScryptParameters
    ) throws(ProtectionError) -> SymmetricKey {
        let derived = try Scrypt.key(from: password, salt: salt, work)
        let key = indexKey.withKey { KeyDerivation.derive("application password", from: $0) }
        return derived.withUnsafeBytes { Authentication.code($0, under: key) }
    }
}
