// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Glibc
import KeychainCore
import KeychainEngine
import KeychainHost

/// Backups between files and the keychain, whoever has it: the system service opens no files of users, so that it is
/// sent the bytes, and sends them.
extension Surroundings {
    /// Writes a backup to a file that does not exist yet.
    ///
    /// - Parameters:
    ///   - path: the absolute path of the file.
    ///   - secret: what protects it.
    ///   - files: the keychain files to include.
    /// - Returns: What it contains.
    /// - Throws: ``Refusal``; there is no file then.
    func writeBackup(
        to path: String,
        _ secret: BackupRequest.Secret,
        _ files: [BackedUpFile]
    ) throws(Refusal) -> BackupReport {
        let destination: BackupRequest.Destination = isInSystemService() ? .reply : .path(path)
        let maintenance = keychain.maintenance
        let made = try refusing { () throws(KeychainError) in
            try maintenance.createBackup(BackupRequest(to: destination, secret: secret, files: files))
        }
        guard let bytes = made.bytes else { return made.report }
        do throws(FileError) {
            let draft = try FileDraft(of: path)
            let isWritten = bytes.withUnsafeBytes { DescriptorOutput.write($0, to: draft.descriptor) }
            guard isWritten else { throw .system(call: "write", path: path, errno: errno) }
            try draft.publishNew()
        } catch {
            throw Refusal("the backup cannot be written: \(error)")
        }
        return made.report
    }

    /// A backup for the keychain.
    func source(_ path: String) throws(Refusal) -> RestoreRequest.Source {
        guard isInSystemService() else { return .path(path) }
        do throws(FileError) {
            guard let file = try AtomicFile.read(path, limit: Self.largestSentBackup) else {
                throw .system(call: "open", path: path, errno: ENOENT)
            }
            return .contents(SecretBytes(file.bytes))
        } catch {
            throw Refusal("\(error)")
        }
    }

    /// What fits into a message to the service, with everything else in it.
    private static let largestSentBackup = 63 << 20

    /// Asks for the passcode if one is set, because a locked keychain is neither backed up nor merged.
    func unlockForBackup(_ options: PasscodeOptions, _ reason: String) throws(Refusal) {
        let device = keychain.device
        guard try refusing({ () throws(KeychainError) in try device.status() }).hasPasscode else { return }
        let passcode = try options.source(self).read(.passcode, .passcode, reason: reason)
        try refusing { () throws(KeychainError) in try device.unlock(passcode: passcode) }
    }

    /// Opens a backup in this process, into memory.
    func inspect(_ path: String, _ secret: SecretBytes) throws(Refusal) -> InspectedBackup {
        try refusing { () throws(KeychainError) in
            try BackupInspection(of: path).contents(secret, atLeast: backupFloor)
        }
    }
}
