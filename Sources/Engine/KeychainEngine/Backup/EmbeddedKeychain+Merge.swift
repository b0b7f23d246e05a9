// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainProtection
import KeychainStore

extension EmbeddedKeychain {
    /// Restores a backup where there is no keychain, or merges it into the keychain.
    func perform(_ request: RestoreRequest) throws(KeychainError) -> KeychainReply {
        guard let merge = request.merge else {
            guard case .folder(let location, let options) = access.source else {
                throw .parameter("a keychain in memory is there already, and is not made of a backup")
            }
            // An erased device has a store without anything in it.
            if try EmbeddedDevice(access).isUnused {
                return .backup(try restoreBackup(from: request.source, secret: request.secret))
            }
            return .backup(
                try Self.restoreBackup(
                    from: request.source,
                    secret: request.secret,
                    to: location,
                    options,
                    floor: access.device.passwordFloor,
                    rootKeys: access.device.rootKeys
                )
            )
        }
        return .merge(try mergeBackup(from: request.source, secret: request.secret, merge))
    }

    /// Merges a backup into this keychain, as ``KeychainMaintenance/mergeBackup(from:secret:_:)`` describes.
    private func mergeBackup(
        from source: RestoreRequest.Source,
        secret: SecretBytes,
        _ merge: BackupMerge
    ) throws(KeychainError) -> BackupMergeReport {
        let reader = try source.reader()
        try withEngine(.observing) { (engine) throws(KeychainError) in try engine.checkBackup() }
        let floor = access.device.passwordFloor
        let opened = try OpenBackup.opened(reader.keybag(), secret, atLeast: floor, in: access.derivations)
        guard !merge.isTrial else {
            return try withEngine(.reading) { (engine) throws(KeychainError) in
                try engine.read { (rows) throws(KeychainError) in
                    try engine.merge(reader, opened, as: merge, into: rows, writer: nil)
                }
            }
        }
        // A report of a merge that is not made leaves the transaction as an error.
        var undecided: BackupMergeReport?
        do throws(KeychainError) {
            return try withEngine(.changing) { (engine) throws(KeychainError) in
                try engine.write { (writer) throws(KeychainError) in
                    let report = try engine.merge(reader, opened, as: merge, into: writer, writer: writer)
                    guard report.isApplied else {
                        undecided = report
                        throw KeychainError(.duplicateItem, "items differ from those of the backup")
                    }
                    return report
                }
            }
        } catch {
            if let undecided { return undecided }
            throw error
        }
    }
}

extension Engine {
    fileprivate func merge(
        _ backup: BackupReader,
        _ opened: OpenBackup,
        as merge: BackupMerge,
        into rows: RowReader,
        writer: RowWriter?
    ) throws(KeychainError) -> BackupMergeReport {
        // It may have been locked while the secret was worked on.
        try device.checkAvailable(.whenUnlocked)
        var merger = BackupMerger(rows, writer: writer, of: self, merge)
        try merger.run(backup, opened)
        return merger.report
    }
}

extension RestoreRequest.Source {
    /// Opens the backup.
    func reader() throws(KeychainError) -> BackupReader {
        switch self {
        case .path(let path): try BackupReader(path)
        case .contents(let bytes): try BackupReader(bytes: bytes)
        }
    }
}
