// SPDX-License-Identifier: Apache-2.0

import Crypto
import KeychainCore

/// The keys of a backup, under a secret instead of the device's own (Documentation/Format.md, "Backup keybag").
///
/// Only the index key and the keys of the levels that may leave the device are in it.
public enum BackupKeybag {
    /// The bytes of a backup keybag, with the counts of what the backup lacks.
    ///
    /// - Throws: ``ProtectionError/classUnavailable(_:)`` when the device is locked.
    public static func make(
        _ device: Device,
        _ secret: BackupSecret,
        leftOut: [Accessibility: Int],
        damaged: Int
    ) throws(ProtectionError) -> [UInt8] {
        let generation = device.keybag.keybag.generation
        var contents = BackupContents(
            header: secret.header,
            generation: generation,
            leftOut: leftOut,
            damaged: damaged
        )
        let wrapping = try secret.wrapping()
        for purpose in BackupContents.purposes {
            contents.entries[purpose] = try wrapping.wrap(try device.key(purpose), purpose, generation)
        }
        return contents.sealed(secret.authenticationKey)
    }

    /// Opens a backup keybag: authenticates it before anything in it is believed.
    ///
    /// Slow by design, as the backup says.
    ///
    /// - Returns: `nil` when the secret is wrong.
    /// - Throws: ``ProtectionError/damagedKeybag(_:)``, ``ProtectionError/newerKeybag(version:)`` or
    ///   ``ProtectionError/noMemory``.
    public static func open(_ bytes: [UInt8], _ secret: SecretBytes) throws(ProtectionError) -> OpenBackup? {
        let parsed = try BackupContents.parse(bytes)
        guard let secret = try BackupSecret(secret, parsed.contents.header) else { return nil }
        guard parsed.isAuthentic(under: secret.authenticationKey) else {
            throw .damagedKeybag("its authentication code is wrong")
        }
        return try OpenBackup(parsed.contents, secret)
    }
}

extension BackupSecret {
    var authenticationKey: SymmetricKey { KeyDerivation.derive("backup authentication", from: key) }

    /// Each key of a backup is wrapped as in a keybag whose slot has this key.
    func wrapping() throws(ProtectionError) -> KeyWrapping {
        let slotKey = KeyDerivation.derive("backup wrapping", from: key)
        return KeyWrapping(
            version: Keybag.currentVersion,
            slotKey: try LockedMemory(keyCapacity: 1).store(slotKey)
        )
    }
}
