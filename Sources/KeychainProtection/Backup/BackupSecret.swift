// SPDX-License-Identifier: Apache-2.0

import Crypto
import KeychainCore

/// A secret that protects a backup, worked into a key with a fresh salt by scrypt (RFC 7914).
public struct BackupSecret: Sendable {
    let header: PasswordHeader
    let key: SymmetricKey

    /// Derives the key.
    ///
    /// Slow by design, as `work` says.
    ///
    /// - Throws: ``ProtectionError/noMemory``.
    public init(_ secret: SecretBytes, _ work: ScryptParameters) throws(ProtectionError) {
        (header, key) = try PasswordHeader.make(work) { (salt) throws(ProtectionError) in
            try Scrypt.key(from: secret, salt: salt, work)
        }
    }

    /// Derives the key that a backup's header tells of.
    ///
    /// - Returns: `nil` when the secret is wrong.
    /// - Throws: ``ProtectionError/noMemory``.
    init?(_ secret: SecretBytes, _ header: PasswordHeader) throws(ProtectionError) {
        let key = try Scrypt.key(from: secret, salt: header.salt, header.work)
        guard header.isRight(key) else { return nil }
        self.header = header
        self.key = key
    }
}
