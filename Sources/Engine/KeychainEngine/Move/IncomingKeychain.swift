// SPDX-License-Identifier: Apache-2.0

import Glibc
import KeychainCore
import KeychainHost
import KeychainProtection
import KeychainStore

/// A keychain that is being received for a store: the data received so far, in a separate folder.
///
/// The sender need not be trusted: rows are values that are inserted into tables that this process creates, and nothing
/// is adopted before all of it was compared with the announcement. Not thread-safe.
package final class IncomingKeychain {
    /// The announcement.
    package let device: MovedDevice

    /// Which store it is.
    let storeIdentifier: Bytes16

    private let location: KeychainLocation
    private let rows: EmbeddedKeychain
    private var last: MovedRow.Place?
    private var counts = [Int](repeating: 0, count: ItemClass.stored.count)
    private var byteCount = 0

    /// The name of the folder, in that of the keychain it is for.
    package static let folderName = "incoming"

    /// Begins; the remains of an earlier move are removed.
    ///
    /// - Parameters:
    ///   - parent: the existing folder of the destination keychain.
    ///   - device: the announcement.
    ///   - options: the permitted derivation work of a passcode.
    /// - Throws: ``KeychainError``, with `errSecParam` for an announcement that no store could match.
    package init(
        in parent: KeychainLocation,
        _ device: MovedDevice,
        _ options: DeviceOptions = DeviceOptions()
    ) throws(KeychainError) {
        self.device = device
        storeIdentifier = try Self.check(device, options)
        Self.remove(from: parent)
        location = Self.location(in: parent)
        var status = stat()
        guard lstat(location.path, &status) != 0 || status.st_mode & S_IFMT == S_IFDIR else {
            throw KeychainError(FileError.wrongKind(path: location.path, expected: "a folder"))
        }
        // Its own keys open nothing of what is received; they are replaced in the end, and need no other place.
        var options = options
        options.rootKeys = RootKeySources()
        rows = EmbeddedKeychain(at: location, of: .embedded, options)
        try rows.prepareForRows()
    }

    /// Adds at least one row; rows come in the order of their places.
    ///
    /// - Throws: ``KeychainError``, with `errSecParam` for rows that are invalid or were not announced, and
    ///   `errSecDataTooLarge` beyond ``MoveLimits``; the move cannot be continued in these cases.
    package func append(_ received: [MovedRow]) throws(KeychainError) {
        guard !received.isEmpty else { throw .invalidMove("a message has no rows") }
        guard received.count <= MoveLimits.messageRowCount else { throw .moveTooLarge }
        let messageByteCount = received.reduce(0) { $0 + $1.row.byteCount }
        guard received.count == 1 || messageByteCount <= MoveLimits.messageByteCount else { throw .moveTooLarge }
        byteCount += messageByteCount
        guard byteCount <= device.rows.byteCount else { throw .invalidMove("its rows are larger than announced") }
        for row in received { try check(row) }
        try rows.add(received)
    }

    /// Compares the received data with the announcement, and checks the structure of the file.
    ///
    /// Rows are not opened: as in every store, they are authenticated when they are used.
    ///
    /// - Complexity: Reads all rows, one at a time.
    package func finish() throws(KeychainError) {
        guard counts == device.rows.counts else { throw .invalidMove("it has other rows than were announced") }
        guard try rows.movedRows().digest == device.rows.digest else {
            throw .invalidMove("its rows are not those announced")
        }
        guard try rows.hasSoundStructure() else { throw .invalidMove("its structure is damaged") }
    }

    /// The rows, for adoption in the turn of another keychain.
    func openStore() throws(KeychainError) -> Store {
        let folder: PrivateDirectory
        do { folder = try PrivateDirectory(location) } catch { throw KeychainError(error) }
        return try Store.open(in: folder, options: StoreOptions()) { () throws(KeychainError) in
            throw .invalidMove("what was received of it is gone")
        }
    }

    /// Removes the data received for the keychain of a folder, and nothing else.
    package static func remove(from parent: KeychainLocation) {
        let path = location(in: parent).path
        // Not what a link leads to, which may be anywhere.
        let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        guard let stream = fdopendir(descriptor) else {
            close(descriptor)
            return
        }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            names.append(
                withUnsafePointer(to: &entry.pointee.d_name) { start in
                    start.withMemoryRebound(to: CChar.self, capacity: MemoryLayout.size(ofValue: start.pointee)) {
                        String(cString: $0)
                    }
                }
            )
        }
        for name in names where Self.prefixes.contains(where: name.hasPrefix) { unlinkat(descriptor, name, 0) }
        rmdir(path)
    }

    /// The prefix of the names of a store's files (Documentation/Format.md, "The folder").
    private static let prefixes = [
        "keychain.db", "root.key", "lock.mark", "setup.lock", "attempt.lock", "handover.", "shared.",
        "replacement.",
    ]

    private static func location(in parent: KeychainLocation) -> KeychainLocation {
        KeychainLocation(path: "\(parent.path)/\(folderName)")
    }
}

// MARK: - What a store can have

extension IncomingKeychain {
    /// - Returns: Which store it is.
    private static func check(_ device: MovedDevice, _ options: DeviceOptions) throws(KeychainError) -> Bytes16 {
        let rows = device.rows
        guard device.keybag.count <= MoveLimits.keybagByteCount else { throw .invalidMove("its keybag is too long") }
        guard rows.digest.count == RowDigest.byteCount else { throw .invalidMove("it has no digest") }
        guard rows.counts.count == ItemClass.stored.count,
            rows.counts.allSatisfy({ (0...MoveLimits.rowCount).contains($0) }),
            rows.counts.reduce(0, +) <= MoveLimits.rowCount
        else { throw .invalidMove("it announces a number of rows that is not allowed") }
        guard (0...MoveLimits.byteCount).contains(rows.byteCount) else { throw .moveTooLarge }
        guard device.record.isPlausible else { throw .invalidMove("the record of its device has a wrong shape") }
        return try protecting { () throws(ProtectionError) in
            let rootKey = try device.rootKey.withUnsafeBytes { (bytes) throws(ProtectionError) in
                try SoftwareRootKey(bytes)
            }
            return try OpenKeybag(device.keybag, rootKey: rootKey, owner: .moving, floor: options.passwordFloor)
                .storeIdentifier
        }
    }

    private func check(_ moved: MovedRow) throws(KeychainError) {
        if let defect = moved.defect { throw .invalidMove(moved, defect) }
        guard let table = ItemClass.stored.firstIndex(of: moved.row.itemClass) else { return }
        if let last, let lastTable = ItemClass.stored.firstIndex(of: last.itemClass) {
            guard (lastTable, last.number) < (table, moved.number) else {
                throw .invalidMove(moved, "it is out of order")
            }
        }
        counts[table] += 1
        guard counts[table] <= device.rows.counts[table] else {
            throw .invalidMove("it has more rows than announced")
        }
        last = moved.place
    }
}

extension DeviceRecord {
    /// Whether a store could have it.
    fileprivate var isPlausible: Bool {
        let counters = [keybagRevision, failedAttempts, interruptedAttempts]
        let settings = [autoLockAfterSeconds, eraseAfterFailedAttempts].compactMap(\.self)
        guard counters.allSatisfy({ (0..<(1 << 61)).contains($0) }), settings.allSatisfy({ $0 > 0 }) else {
            return false
        }
        guard let time = lastAttempt else { return true }
        return time.bootIdentifier.utf8.count <= 64 && time.secondsSinceBoot.isFinite && time.secondsSinceBoot >= 0
            && time.date.secondsSinceReferenceDate.isFinite
    }
}

// MARK: - Rows under other keys

extension EmbeddedKeychain {
    fileprivate func prepareForRows() throws(KeychainError) { try withEngine { _ in } }

    fileprivate func add(_ rows: [MovedRow]) throws(KeychainError) {
        try withEngine { (engine) throws(KeychainError) in
            try engine.write { (writer) throws(KeychainError) in
                for row in rows {
                    guard try writer.insert(row) else { throw .repeatedRow(row) }
                }
            }
        }
    }

    fileprivate func hasSoundStructure() throws(KeychainError) -> Bool {
        try withEngine(.reading) { (engine) throws(KeychainError) in
            try engine.store.structuralDefects(limit: 1).isEmpty
        }
    }
}
