// SPDX-License-Identifier: Apache-2.0

/// Maintains the store of a keychain: checks, recovery, backups.
///
/// It sends commands, and has no state except for their destination. Thread-safe.
package struct KeychainMaintenance: Sendable {
    /// Performs the commands.
    package typealias Perform = @Sendable (KeychainCommand.Maintenance) throws(KeychainError) -> KeychainReply

    private let perform: Perform

    /// The destination of commands, through a closure.
    package init(_ perform: @escaping Perform) { self.perform = perform }

    /// Checks the structure of the store and authenticates every row whose keys the device makes available.
    ///
    /// It changes nothing.
    package func check() throws(KeychainError) -> IntegrityReport {
        guard case .integrity(let report) = try perform(.check) else { throw .unexpectedReply }
        return report
    }

    /// Takes items out of quarantine that open again.
    ///
    /// - Returns: How many items came back.
    package func recover() throws(KeychainError) -> Int {
        guard case .count(let count) = try perform(.recover) else { throw .unexpectedReply }
        return count
    }

    /// Makes a backup that another device can restore with its secret.
    ///
    /// - Parameter request: its destination, its secret, and the keychain files to include.
    /// - Returns: What the backup contains, and what it does not; its bytes, if they were asked for.
    /// - Throws: `errSecInteractionNotAllowed` on a locked device, `errSecParam` for an empty secret or a keychain file
    ///   that a backup cannot have, `errSecDataTooLarge` for more bytes than a reply can have.
    package func createBackup(
        _ request: BackupRequest
    ) throws(KeychainError) -> (report: BackupReport, bytes: SecretBytes?) {
        switch try perform(.createBackup(request)) {
        case .backup(let report): return (report, nil)
        case .sentBackup(let report, let bytes): return (report, bytes)
        default: throw .unexpectedReply
        }
    }

    /// Stores the secret of scheduled backups, or removes it.
    ///
    /// - Throws: `errSecInteractionNotAllowed` on a locked device.
    package func setBackupSecret(_ secret: SecretBytes?) throws(KeychainError) {
        guard case .done = try perform(.setBackupSecret(secret)) else { throw .unexpectedReply }
    }

    /// Creates a keychain from a backup, where none exists yet.
    ///
    /// - Parameters:
    ///   - source: the backup.
    ///   - secret: the secret that protects it.
    /// - Returns: What the backup contained.
    /// - Throws: `errSecAuthFailed` for a wrong secret, `errSecNotAvailable` if there already is a keychain, or if the
    ///   file is not a backup.
    package func restoreBackup(
        from source: RestoreRequest.Source,
        secret: SecretBytes
    ) throws(KeychainError) -> BackupReport {
        let reply = try perform(.restoreBackup(RestoreRequest(from: source, secret: secret)))
        guard case .backup(let report) = reply else { throw .unexpectedReply }
        return report
    }

    /// Merges a backup into the keychain, in one transaction.
    ///
    /// - Parameters:
    ///   - source: the backup.
    ///   - secret: the secret that protects it.
    ///   - merge: which items to take, and what to do about those that the keychain has with other contents.
    /// - Returns: What was or would be changed.
    /// - Throws: `errSecAuthFailed` for a wrong secret, `errSecInteractionNotAllowed` on a locked device,
    ///   `errSecNotAvailable` if the file is not a backup. Nothing has changed in these cases.
    package func mergeBackup(
        from source: RestoreRequest.Source,
        secret: SecretBytes,
        _ merge: BackupMerge
    ) throws(KeychainError) -> BackupMergeReport {
        let reply = try perform(.restoreBackup(RestoreRequest(from: source, secret: secret, merge: merge)))
        guard case .merge(let report) = reply else { throw .unexpectedReply }
        return report
    }

    /// The status of the root key.
    package func rootKeyStatus() throws(KeychainError) -> RootKeyStatus {
        guard case .rootKeyStatus(let status) = try perform(.rootKeyStatus) else { throw .unexpectedReply }
        return status
    }

    /// Replaces the root key of the store, and removes the previous one once no key of the store is under it.
    ///
    /// Items, passcode and policy stay as they are. Every program is locked, except for the one that performs this.
    ///
    /// - Parameters:
    ///   - kind: the kind of root key; `nil` for another one of the present kind.
    ///   - passcode: the passcode of the device; `nil` where none is set.
    /// - Throws: `errSecAuthFailed` for a wrong or missing passcode, `errSecNotAvailable` for a kind that the process
    ///   cannot keep and if there is no store, `errSecDiskFull`. The store has its previous root key in these cases.
    package func replaceRootKey(_ kind: RootKeyKind? = nil, passcode: SecretBytes?) throws(KeychainError) {
        guard case .done = try perform(.replaceRootKey(kind: kind, passcode: passcode)) else { throw .unexpectedReply }
    }

    /// The versions of the store and of the program that has it, and the features that the store uses.
    package func storeStatus() throws(KeychainError) -> StoreStatus {
        guard case .storeStatus(let status) = try perform(.storeStatus) else { throw .unexpectedReply }
        return status
    }

    /// Brings the store to an earlier revision of its format, in one transaction.
    ///
    /// - Parameter revision: the revision.
    /// - Returns: What was left out; or which features in use the revision does not have, and then nothing was changed.
    /// - Throws: `errSecItemNotFound` if there is no store, `errSecNotAvailable` for a store that this program may not
    ///   change, and for a revision that is later than the program's.
    package func downgradeStore(to revision: UInt8) throws(KeychainError) -> StoreDowngrade {
        guard case .storeDowngrade(let outcome) = try perform(.downgradeStore(revision: revision)) else {
            throw .unexpectedReply
        }
        return outcome
    }

    /// Moves all items of an access group to another one, in one transaction.
    ///
    /// - Returns: The items that were moved, and those that cannot be.
    /// - Throws: `errSecMissingEntitlement` for a group that the client may not use, `errSecInteractionNotAllowed` for
    ///   items that are locked; nothing was moved in these cases.
    package func moveGroup(_ move: GroupMove) throws(KeychainError) -> GroupMoveReport {
        guard case .groupMove(let report) = try perform(.moveGroup(move)) else { throw .unexpectedReply }
        return report
    }
}
