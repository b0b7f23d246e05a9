// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainHost
import KeychainProtection
import KeychainStore

extension EmbeddedKeychain {
    /// Writes a backup that another device can restore with its secret.
    ///
    /// Items whose accessibility binds them to this device are not included, nor are keys of its enclave; they are
    /// counted.
    ///
    /// - Parameters:
    ///   - path: the file, which must not exist yet; it gets mode 0600.
    ///   - secret: the secret that protects the backup; its key is derived like that of a passcode.
    ///   - files: the keychain files to include, each of which a backup can have.
    /// - Returns: What the backup contains, and what it does not.
    /// - Throws: `errSecInteractionNotAllowed` on a locked device, `errSecParam` for an empty secret.
    /// - Complexity: Reads the whole store; other processes can continue meanwhile.
    package func createBackup(
        at path: String,
        secret: SecretBytes,
        files: [BackedUpFile] = []
    ) throws(KeychainError) -> BackupReport {
        let derived = try workedOn(secret)
        return try access.withEngine(.reading) { (engine) throws(KeychainError) in
            try engine.writeBackup(to: path, derived, files)
        }
    }

    /// Makes a backup in memory, as ``createBackup(at:secret:files:)`` writes one, with at most `limit` bytes of rows.
    func backupImage(
        atMost limit: Int,
        secret: SecretBytes,
        files: [BackedUpFile]
    ) throws(KeychainError) -> (report: BackupReport, bytes: SecretBytes) {
        let derived = try workedOn(secret)
        return try access.withEngine(.reading) { (engine) throws(KeychainError) in
            try engine.backupImage(derived, files, atMost: limit)
        }
    }

    private func workedOn(_ secret: SecretBytes) throws(KeychainError) -> BackupSecret {
        guard !secret.isEmpty else { throw .parameter("the secret of the backup is empty") }
        try access.withEngine(.observing) { (engine) throws(KeychainError) in try engine.checkBackup() }
        return try access.derivations.derive { () throws(ProtectionError) in
            try BackupSecret(secret, access.device.passwordWork)
        }
    }

    /// Creates a keychain from a backup, where none exists yet.
    ///
    /// The new device has a root key of its own, keys of its own and no passcode: nothing that it stores opens with the
    /// backup's secret. Items keep their persistent references.
    ///
    /// - Parameters:
    ///   - path: the file that ``createBackup(at:secret:)`` wrote.
    ///   - secret: the secret that protects it.
    ///   - location: where to create the keychain.
    ///   - options: how long to wait for other processes.
    /// - Returns: What the backup contained.
    /// - Throws: `errSecAuthFailed` for a wrong secret, `errSecNotAvailable` if there already is a keychain, or if the
    ///   file is not a backup.
    package static func restoreBackup(
        from path: String,
        secret: SecretBytes,
        to location: KeychainLocation,
        options: StoreOptions = StoreOptions()
    ) throws(KeychainError) -> BackupReport {
        try restoreBackup(from: .path(path), secret: secret, to: location, options, floor: .standard)
    }

    /// The same, for a backup of a device whose work a test lowered.
    package static func restoreBackup(
        from path: String,
        secret: SecretBytes,
        to location: KeychainLocation,
        floor: ScryptFloor
    ) throws(KeychainError) -> BackupReport {
        try restoreBackup(from: .path(path), secret: secret, to: location, floor: floor)
    }

    /// The same, from any source and with other sources of root keys.
    package static func restoreBackup(
        from source: RestoreRequest.Source,
        secret: SecretBytes,
        to location: KeychainLocation,
        _ options: StoreOptions = StoreOptions(),
        floor: ScryptFloor,
        rootKeys: RootKeySources = RootKeySources()
    ) throws(KeychainError) -> BackupReport {
        let folder: PrivateDirectory
        do { folder = try PrivateDirectory(location) } catch { throw KeychainError(error) }
        var opened: OpenBackup?
        var files = 0
        let items = try Store.restoreBackup(from: source.reader, in: folder, options: options) {
            (bytes) throws(KeychainError) in
            let backup = try OpenBackup.opened(bytes, secret, atLeast: floor, in: KeyDerivations(nil))
            opened = backup
            let rootKey: any RootKey
            do throws(RootKeyError) {
                rootKey = try rootKeys.rootKeyForNewStore(in: folder)
            } catch {
                throw KeychainError(error)
            }
            let random = SystemRandomSource()
            do throws(ProtectionError) {
                return RestoredStore(
                    backup,
                    keybag: try NewKeybag(rootKey: rootKey, random.bytes16(), floor),
                    random: random,
                    onFile: { files += 1 }
                )
            } catch {
                throw KeychainError(error)
            }
        }
        return BackupReport(
            items: items,
            files: files,
            leftOut: opened?.leftOut ?? [:],
            damaged: opened?.damaged ?? 0
        )
    }

    /// Restores a backup into this keychain, which has no items; afterwards the device has no passcode.
    ///
    /// - Parameters:
    ///   - path: the file that ``createBackup(at:secret:)`` wrote.
    ///   - secret: the secret that protects it.
    /// - Returns: What the backup contained.
    /// - Throws: As ``restoreBackup(from:secret:to:options:)``; nothing has changed in that case.
    package func restoreBackup(from path: String, secret: SecretBytes) throws(KeychainError) -> BackupReport {
        try restoreBackup(from: .path(path), secret: secret)
    }

    /// The same, from any source.
    func restoreBackup(
        from source: RestoreRequest.Source,
        secret: SecretBytes
    ) throws(KeychainError) -> BackupReport {
        let backup = try source.reader()
        let floor = access.device.passwordFloor
        let opened = try OpenBackup.opened(backup.keybag(), secret, atLeast: floor, in: access.derivations)
        var files = 0
        let items = try withEngine(.exclusive) { (engine) throws(KeychainError) in
            try engine.restore(backup, opened) { files += 1 }
        }
        return BackupReport(items: items, files: files, leftOut: opened.leftOut, damaged: opened.damaged)
    }

    /// Erases all content and settings: no item, no passcode, other keys.
    package func erase() throws(KeychainError) {
        try withEngine(.exclusive) { (engine) throws(KeychainError) in
            try engine.erase()
            access.device.onEvent(.erased)
        }
    }
}

extension Engine {
    /// Refuses a backup before its secret is worked on for nothing.
    func checkBackup() throws(KeychainError) {
        try read { (_) throws(KeychainError) in try device.checkAvailable(.whenUnlocked) }
    }

    func writeBackup(
        to path: String,
        _ secret: BackupSecret,
        _ files: [BackedUpFile]
    ) throws(KeychainError) -> BackupReport {
        let file: FileTarget
        do { file = try FileTarget(path) } catch { throw KeychainError(error) }
        return try backUp(secret, files: files) { (reader, contents, staysBehind) throws(KeychainError) in
            try store.writeBackup(
                of: reader,
                to: file.folder,
                name: file.name,
                protections: Self.protectionsInBackups,
                staysBehind: staysBehind,
                destroyedGeneration: device.keybag.destroyedGeneration,
                contents
            )
        }
    }

    func backupImage(
        _ secret: BackupSecret,
        _ files: [BackedUpFile],
        atMost limit: Int
    ) throws(KeychainError) -> (report: BackupReport, bytes: SecretBytes) {
        var image = SecretBytes()
        let report = try backUp(secret, files: files) { (reader, contents, staysBehind) throws(KeychainError) in
            let made = try store.backupImage(
                of: reader,
                atMost: limit,
                protections: Self.protectionsInBackups,
                staysBehind: staysBehind,
                destroyedGeneration: device.keybag.destroyedGeneration,
                contents
            )
            image = made.bytes
            return made.counts
        }
        return (report, image)
    }

    private static let protectionsInBackups = Set(
        Accessibility.stored.filter { !$0.isForThisDeviceOnly }.map(\.rawValue)
    )

    private func backUp(
        _ secret: BackupSecret,
        files: [BackedUpFile],
        _ write: (RowReader, NewBackup, (StoredRow) -> Bool) throws(KeychainError) -> BackupCounts
    ) throws(KeychainError) -> BackupReport {
        let sealer: BackupSealer
        do { sealer = try BackupSealer(secret, random: random) } catch { throw KeychainError(error) }
        let counts = try read { (reader) throws(KeychainError) in
            try device.checkAvailable(.whenUnlocked)
            let ofEnclave = device.tagOfEnclaveKeys
            let schedule = ScheduleGroup(device.searchTags())
            return try write(reader, NewBackup(sealer, device, files: files)) { row in
                row.itemClass == .key && row.tags.contains { $0 == ofEnclave } || schedule.has(row)
            }
        }
        return BackupReport(
            items: counts.items,
            files: counts.files,
            leftOut: counts.leftOutByLevel,
            damaged: counts.damagedItems
        )
    }
}

extension NewBackup {
    /// What a device contributes to a backup.
    init(_ sealer: BackupSealer, _ device: Sealer, files: [BackedUpFile]) {
        self.init(
            reseal: { (row) throws(KeychainError) in
                do throws(ProtectionError) {
                    return try sealer.reseal(row, from: device)
                } catch .damagedRow {
                    return nil
                } catch {
                    throw KeychainError(error)
                }
            },
            include: sealer.include,
            fileCount: files.count,
            sealFile: { (index, number) throws(KeychainError) in
                do throws(ProtectionError) {
                    return try sealer.seal(files[index], number: number)
                } catch {
                    throw KeychainError(error)
                }
            },
            keybag: { (counts) throws(KeychainError) in
                do throws(ProtectionError) {
                    return try sealer.keybag(leftOut: counts.leftOutByLevel, damaged: counts.damagedItems)
                } catch {
                    throw KeychainError(error)
                }
            }
        )
    }
}

extension RestoredStore {
    /// What a new keybag takes from a backup.
    init(
        _ backup: OpenBackup,
        keybag made: NewKeybag,
        random: any RandomSource,
        onFile: @escaping () -> Void = {}
    ) {
        let device = Sealer(made.keybag, random: random)
        let tags = device.searchTags()
        let schedule = ScheduleGroup(tags)
        self.init(
            keybag: made.bytes,
            reseal: { (row) throws(KeychainError) in
                do throws(ProtectionError) {
                    let row = try backup.reseal(row.row, number: row.number, for: device, tags, random: random)
                    return schedule.has(row) ? nil : row
                } catch {
                    throw KeychainError(error)
                }
            },
            checkFile: { (sealed, number) throws(KeychainError) in
                _ = try backup.opening { (backup) throws(ProtectionError) in
                    try backup.open(file: sealed, number: number)
                }
                onFile()
            },
            checkRows: { () throws(KeychainError) in
                do throws(ProtectionError) { try backup.checkRows() } catch { throw KeychainError(error) }
            }
        )
    }
}

extension Sealer {
    /// By what rows of keys of the enclave are known: the token's identifier.
    fileprivate var tagOfEnclaveKeys: AttributeTag? {
        let token: Attributes = [.tokenID: .string(PropertyKey.tokenSecureEnclave)]
        return searchTags().tags(ItemSchema.of(.key), token).first
    }
}

extension BackupCounts {
    fileprivate var leftOutByLevel: [Accessibility: Int] {
        Dictionary(
            leftOut.compactMap { protection, count in Accessibility(rawValue: protection).map { ($0, count) } },
            uniquingKeysWith: +
        )
    }

    /// Including items without a valid accessibility; nothing writes such a row.
    fileprivate var damagedItems: Int {
        leftOut.reduce(damaged) { $0 + (Accessibility(rawValue: $1.key) == nil ? $1.value : 0) }
    }
}
