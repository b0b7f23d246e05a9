// SPDX-License-Identifier: Apache-2.0

import Crypto
import KeychainCore

/// A secret that protects a backup, worked into a key with a fresh salt by scrypt (RFC 7914).
package struct BackupSecret: Sendable {
    let header: PasswordHeader
    let key: LockedKey

    /// Derives the key.
    ///
    /// Slow by design, depending on `work`.
    ///
    /// - Throws: ``ProtectionError/noMemory``.
    package init(_ secret: SecretBytes, _ work: ScryptParameters) throws(ProtectionError) {
        let made = try PasswordHeader.make(secret, work)
        header = made.0
        key = try LockedMemory(keyCapacity: 1).store(made.1)
    }

    /// Derives the key with the parameters of a backup's header.
    ///
    /// - Returns: `nil` if the secret is wrong.
    /// - Throws: ``ProtectionError/noMemory``.
    init?(_ secret: SecretBytes, _ header: PasswordHeader) throws(ProtectionError) {
        guard let key = try header.key(secret) else { return nil }
        self.header = header
        self.key = try LockedMemory(keyCapacity: 1).store(key)
    }

    /// A key for one purpose of one backup.
    func key(_ purpose: String, of identifier: Bytes16) -> SymmetricKey {
        KeyDerivation.derive(purpose, from: key, context: identifier.bytes)
    }

    /// The key of the code of a backup's keybag.
    func authenticationKey(of identifier: Bytes16) -> SymmetricKey { key("backup authentication", of: identifier) }

    /// Wraps the keys of a backup, as those of a keybag are wrapped by the key of their slot.
    func wrapping(of identifier: Bytes16) -> KeyWrapping { KeyWrapping(storeIdentifier: identifier, slotKey: key) }

    /// The code over the rows of a backup, over none so far.
    func rowCode(of identifier: Bytes16) -> BackupRowCode {
        BackupRowCode(key("backup rows", of: identifier), of: identifier)
    }

    /// The code over the keychain files of a backup, over none so far.
    func fileCode(of identifier: Bytes16) -> BackupFileCode {
        BackupFileCode(key("backup files", of: identifier), of: identifier)
    }
}
