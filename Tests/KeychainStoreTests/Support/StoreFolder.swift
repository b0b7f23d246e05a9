// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainCore
import KeychainHost
import KeychainStore
import KeychainTestSupport

/// A folder for one store, and for the backups of one.
final class StoreFolder: Sendable {
    let folder: TemporaryFolder
    let directory: PrivateDirectory

    init() throws {
        folder = try TemporaryFolder()
        directory = try PrivateDirectory(KeychainLocation(path: folder.path))
    }

    func path(of name: String) -> String { folder.path(of: name) }

    func open(keybag: [UInt8] = [1, 2, 3], _ options: StoreOptions = StoreOptions()) throws -> Store {
        try Store.open(in: directory, options: options) { () throws(KeychainError) in keybag }
    }

    /// The store's file, or another of the folder, behind the store's back.
    func raw(_ name: String = "keychain.db") throws -> RawStore { try RawStore(path: path(of: name)) }

    func contents(of name: String) throws -> Data { try Data(contentsOf: URL(fileURLWithPath: path(of: name))) }

    func write(_ contents: Data, to name: String) throws {
        let attributes: [FileAttributeKey: Any] = [.posixPermissions: 0o600]
        guard FileManager.default.createFile(atPath: path(of: name), contents: contents, attributes: attributes) else {
            throw CocoaError(.fileWriteUnknown)
        }
    }

    /// The names of the files, ordered.
    func names() throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() }

    /// A copy of the folder as a restart of the machine leaves it: without the index of the log.
    func afterRestart() throws -> StoreFolder {
        let copy = try StoreFolder()
        for name in try names() where !name.hasSuffix("-shm") { try copy.write(contents(of: name), to: name) }
        return copy
    }

    /// Whether the bytes are in a file of the folder.
    func holds(_ bytes: [UInt8]) throws -> Bool {
        try names().contains { try contents(of: $0).range(of: Data(bytes)) != nil }
    }
}

extension StoredRow {
    /// A row that differs from those of other numbers in every column that tells rows apart.
    static func sample(
        _ itemClass: ItemClass,
        _ number: UInt8,
        protection: String = "ak",
        generation: UInt32 = 1,
        isTombstone: Bool = false,
        metadata: [UInt8] = [1],
        secret: [UInt8] = [2]
    ) -> StoredRow {
        StoredRow(
            itemClass: itemClass,
            identifier: Bytes16(Array(repeating: 0x60 &+ number, count: 16)) ?? .zero,
            protection: protection,
            isTombstone: isTombstone,
            keyGeneration: generation,
            version: Bytes16(Array(repeating: 0x20 &+ number, count: 16)) ?? .zero,
            primaryKeyTag: Bytes16(Array(repeating: 0x40 &+ number, count: 16)) ?? .zero,
            tags: [AttributeTag(name: "labl", tag: Bytes16(Array(repeating: number, count: 16)) ?? .zero)],
            metadata: metadata,
            secret: secret
        )
    }
}

extension Store {
    /// Adds rows; whether all of them were added.
    @discardableResult
    func add(_ rows: [StoredRow]) throws -> Bool {
        try write { (writer) throws(KeychainError) in
            var areAdded = true
            for row in rows where try !writer.insert(row) { areAdded = false }
            return areAdded
        }
    }

    /// Every row of a class that is not in quarantine, or every one that is.
    func everyRow(_ itemClass: ItemClass, quarantined: Bool = false) throws -> [NumberedRow] {
        var every = RowFilter(itemClass)
        every.includesTombstones = true
        let filter = every
        return try read { (reader) throws(KeychainError) in
            try quarantined ? reader.quarantinedRows(filter) : reader.rows(filter)
        }
    }

    /// Sets the rows of an identifier aside.
    func quarantine(_ row: StoredRow) throws {
        try write { (writer) throws(KeychainError) in
            var filter = RowFilter(row.itemClass)
            filter.identifier = row.identifier
            for found in try writer.rows(filter) { try writer.quarantine(found, damage: 1) }
        }
    }

    func deviceRecord() throws -> DeviceRecord {
        try read { (reader) throws(KeychainError) in try reader.deviceRecord() }
    }

    func setKeybag(_ bytes: [UInt8]) throws {
        try write { (writer) throws(KeychainError) in try writer.setKeybag(bytes) }
    }
}

/// Backups whose rows are as they lie in the store: what seals them is not the store's affair.
extension Store {
    func writeCopy(
        to folder: PrivateDirectory,
        name: String,
        protections: Set<String>,
        staysBehind: @escaping (StoredRow) -> Bool = { _ in false },
        destroyedGeneration: UInt32?,
        reseal: @escaping (StoredRow) throws(KeychainError) -> StoredRow? = { (row) throws(KeychainError) in row },
        include: @escaping (StoredRow, Int64) -> Void = { _, _ in },
        files: [[UInt8]] = [],
        keybag: @escaping (BackupCounts) throws(KeychainError) -> [UInt8]
    ) throws(KeychainError) -> BackupCounts {
        try read { (reader) throws(KeychainError) in
            try writeBackup(
                of: reader,
                to: folder,
                name: name,
                protections: protections,
                staysBehind: staysBehind,
                destroyedGeneration: destroyedGeneration,
                NewBackup(
                    reseal: reseal,
                    include: include,
                    fileCount: files.count,
                    sealFile: { (index, _) throws(KeychainError) in files[index] },
                    keybag: keybag
                )
            )
        }
    }

    static func restoreCopy(
        from file: String,
        in folder: PrivateDirectory,
        options: StoreOptions,
        reseal: @escaping (NumberedRow) throws(KeychainError) -> StoredRow = { (row) throws(KeychainError) in row.row },
        checkFile: @escaping ([UInt8], Int64) throws(KeychainError) -> Void = { (_, _) throws(KeychainError) in },
        checkRows: @escaping () throws(KeychainError) -> Void = { () throws(KeychainError) in },
        keybag: @escaping ([UInt8]) throws(KeychainError) -> [UInt8]
    ) throws(KeychainError) -> Int {
        try restoreBackup(
            from: { () throws(KeychainError) in try BackupReader(file) },
            in: folder,
            options: options,
            contents: { (bytes) throws(KeychainError) in
                RestoredStore(keybag: try keybag(bytes), reseal: reseal, checkFile: checkFile, checkRows: checkRows)
            }
        )
    }
}

extension DeviceRecord {
    /// With every field set.
    static let full: DeviceRecord = {
        var record = DeviceRecord()
        record.keybagRevision = 8
        record.failedAttempts = 9
        record.interruptedAttempts = 7
        record.lastAttempt = HostTime(
            bootIdentifier: "é, a boot",
            secondsSinceBoot: 1.25,
            date: Timestamp(secondsSinceReferenceDate: -2.5)
        )
        record.autoLockAfterSeconds = .max
        record.eraseAfterFailedAttempts = 10
        record.owesLogErasure = true
        return record
    }()
}
