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

    /// Writes a backup that another device can restore with its secret.
    ///
    /// - Parameters:
    ///   - path: the file, which must not exist yet, from the view of the process that writes it.
    ///   - secret: the secret that protects the backup.
    /// - Returns: What the backup contains, and what it does not.
    /// - Throws: `errSecInteractionNotAllowed` on a locked device, `errSecParam` for an empty secret.
    package func createBackup(at path: String, secret: SecretBytes) throws(KeychainError) -> BackupReport {
        try Self.report(perform(.createBackup(path: path, secret: secret)))
    }

    /// Creates a keychain from a backup, where none exists yet.
    ///
    /// - Parameters:
    ///   - path: the file.
    ///   - secret: the secret that protects it.
    /// - Returns: What the backup contained.
    /// - Throws: `errSecAuthFailed` for a wrong secret, `errSecNotAvailable` if there already is a keychain, or if the
    ///   file is not a backup.
    package func restoreBackup(from path: String, secret: SecretBytes) throws(KeychainError) -> BackupReport {
        try Self.report(perform(.restoreBackup(path: path, secret: secret)))
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
    /// - Returns: The items that were moved, and those that are in the other group already.
    /// - Throws: `errSecMissingEntitlement` for a group that the client may not use, `errSecInteractionNotAllowed` for
    ///   items that are locked; nothing was moved in these cases.
    package func moveGroup(_ move: GroupMove) throws(KeychainError) -> GroupMoveReport {
        guard case .groupMove(let report) = try perform(.moveGroup(move)) else { throw .unexpectedReply }
        return report
    }

    private static func report(_ reply: KeychainReply) throws(KeychainError) -> BackupReport {
        guard case .backup(let report) = reply else { throw .unexpectedReply }
        return report
    }
}
