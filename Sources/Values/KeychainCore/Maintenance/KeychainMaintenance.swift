// SPDX-License-Identifier: Apache-2.0

/// Looks after the store of a keychain: checks, recovery, backups.
///
/// A way to write commands; it holds nothing but where they go. Thread-safe.
package struct KeychainMaintenance: Sendable {
    /// What carries out the commands.
    package typealias Perform = @Sendable (KeychainCommand.Maintenance) throws(KeychainError) -> KeychainReply

    private let perform: Perform

    /// What commands reach through a closure.
    package init(_ perform: @escaping Perform) { self.perform = perform }

    /// Checks the structure of the store and authenticates every row, as far as the device makes the keys available.
    ///
    /// Changes nothing.
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
    ///   - path: the file, which must not exist yet, as seen by the process that carries it out.
    ///   - secret: what protects the backup.
    /// - Returns: What the backup holds, and what it does not.
    /// - Throws: `errSecInteractionNotAllowed` on a locked device, `errSecParam` for an empty secret.
    package func createBackup(at path: String, secret: SecretBytes) throws(KeychainError) -> BackupReport {
        try Self.report(perform(.createBackup(path: path, secret: secret)))
    }

    /// Makes the keychain of a backup, where there is none yet.
    ///
    /// - Parameters:
    ///   - path: the file.
    ///   - secret: what protects it.
    /// - Returns: What the backup held.
    /// - Throws: `errSecAuthFailed` for a wrong secret, `errSecNotAvailable` where there is a keychain already and for
    ///   a file that is no backup.
    package func restoreBackup(from path: String, secret: SecretBytes) throws(KeychainError) -> BackupReport {
        try Self.report(perform(.restoreBackup(path: path, secret: secret)))
    }

    /// What is known of the root key.
    package func rootKeyStatus() throws(KeychainError) -> RootKeyStatus {
        guard case .rootKeyStatus(let status) = try perform(.rootKeyStatus) else { throw .unexpectedReply }
        return status
    }

    /// Gives the store another root key, and removes the present one once no key of the store is under it.
    ///
    /// Items, passcode and policy stay as they are. Every program is locked, but the one that carries it out.
    ///
    /// - Parameters:
    ///   - kind: what kind of root key; `nil` for another one of the present kind.
    ///   - passcode: the passcode of the device; `nil` where none is set.
    /// - Throws: `errSecAuthFailed` for a wrong passcode and without one that is set, `errSecNotAvailable` for a kind
    ///   that the process cannot keep and where there is no store, `errSecDiskFull`. The store has the root key that
    ///   it had then.
    package func replaceRootKey(_ kind: RootKeyKind? = nil, passcode: SecretBytes?) throws(KeychainError) {
        guard case .done = try perform(.replaceRootKey(kind: kind, passcode: passcode)) else { throw .unexpectedReply }
    }

    private static func report(_ reply: KeychainReply) throws(KeychainError) -> BackupReport {
        guard case .backup(let report) = reply else { throw .unexpectedReply }
        return report
    }
}
