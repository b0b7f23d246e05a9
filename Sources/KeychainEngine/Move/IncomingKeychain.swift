// SPDX-License-Identifier: Apache-2.0

import Glibc
import HostFiles
import KeychainCore
import KeychainProtection
import KeychainStore

/// A keychain on its way into a store: what was received of it so far, in a folder of its own.
///
/// Whoever sends it need not be trusted: rows are values that are put into tables of this process's own making, and
/// nothing is taken over before all of it was compared with what was announced. Not thread-safe.
package final class IncomingKeychain {
    /// What was announced.
    package let device: MovedDevice

    private let location: KeychainLocation
    private let options: DeviceOptions
    private let rows: EmbeddedKeychain
    private var last: MovedRow.Place?
    private var counts = [Int](repeating: 0, count: ItemClass.stored.count)
    private var byteCount = 0

    /// The name of the folder, in that of the keychain it is for.
    package static let folderName = "incoming"

    /// Begins; what an earlier move left is removed.
    ///
    /// - Parameters:
    ///   - parent: the folder of the keychain it is for, which exists.
    ///   - device: what is announced.
    ///   - options: the work that a passcode may ask for.
    /// - Throws: ``KeychainError``, with `errSecParam` for what no store could have.
    package init(
        in parent: KeychainLocation,
        _ device: MovedDevice,
        _ options: DeviceOptions = DeviceOptions()
    ) throws(KeychainError) {
        self.device = device
        self.options = options
        try Self.check(device, options)
        Self.remove(from: parent)
        location = Self.location(in: parent)
        // Its own keys open nothing of what is received; they are replaced in the end.
        rows = EmbeddedKeychain(at: location, device: Self.opened(options, as: .embedded))
        try rows.prepareForRows()
    }

    /// Adds rows, in the order of their places.
    ///
    /// - Throws: ``KeychainError``, with `errSecParam` for rows that no store has or that were not announced, and
    ///   `errSecDataTooLarge` beyond ``MoveLimits``; the move cannot be continued then.
    package func append(_ received: [MovedRow]) throws(KeychainError) {
        guard received.count <= MoveLimits.messageRowCount else { throw .moveTooLarge }
        let messageByteCount = received.reduce(0) { $0 + $1.row.byteCount }
        guard received.count <= 1 || messageByteCount <= MoveLimits.messageByteCount else { throw .moveTooLarge }
        byteCount += messageByteCount
        guard byteCount <= MoveLimits.byteCount else { throw .moveTooLarge }
        for row in received { try check(row) }
        try rows.add(received)
    }

    /// Compares what was received with what was announced, and checks it as a store.
    package func finish() throws(KeychainError) {
        guard counts == device.rowCounts else { throw .invalidMove("it has other rows than were announced") }
        guard try rows.rowDigest() == device.digest else { throw .invalidMove("its rows are not those announced") }
        let defects = try rows.check().structuralDefects
        guard defects.isEmpty else { throw .invalidMove("its structure is damaged") }
    }

    /// The rows, for who takes them over in the turn of another keychain.
    func openStore() throws(KeychainError) -> Store {
        let folder: PrivateDirectory
        do { folder = try PrivateDirectory(location) } catch { throw KeychainError(error) }
        return try Store.open(in: folder, options: StoreOptions()) { () throws(KeychainError) in
            throw .invalidMove("what was received of it is gone")
        }
    }

    /// Removes what was received for the keychain of a folder.
    package static func remove(from parent: KeychainLocation) {
        let location = location(in: parent)
        guard let folder = try? PrivateDirectory(asItIs: location) else { return }
        for name in folder.names(beginningWith: "") where name != "." && name != ".." { folder.remove(name) }
        rmdir(folder.path)
    }

    private static func location(in parent: KeychainLocation) -> KeychainLocation {
        KeychainLocation(path: "\(parent.path)/\(folderName)")
    }

    private static func opened(_ options: DeviceOptions, as owner: StoreOwner) -> DeviceOptions {
        var device = options
        device.owner = owner
        return device
    }
}

// MARK: - What a store can have

extension IncomingKeychain {
    private static func check(_ device: MovedDevice, _ options: DeviceOptions) throws(KeychainError) {
        guard device.keybag.count <= MoveLimits.keybagByteCount else { throw .invalidMove("its keybag is too long") }
        guard device.digest.count == RowDigest.byteCount else { throw .invalidMove("it has no digest") }
        guard device.rowCounts.count == ItemClass.stored.count,
            device.rowCounts.allSatisfy({ (0...MoveLimits.rowCount).contains($0) }),
            device.rowCounts.reduce(0, +) <= MoveLimits.rowCount
        else { throw .invalidMove("it announces a number of rows that is not allowed") }
        guard device.record.isPlausible else { throw .invalidMove("the record of its device has a wrong shape") }
        try protecting { () throws(ProtectionError) in
            let rootKey = try device.rootKey.withUnsafeBytes { (bytes) throws(ProtectionError) in
                try SoftwareRootKey(bytes)
            }
            _ = try OpenKeybag(device.keybag, rootKey: rootKey, owner: .moving, floor: options.passwordFloor)
        }
    }

    private func check(_ moved: MovedRow) throws(KeychainError) {
        let row = moved.row
        guard let table = ItemClass.stored.firstIndex(of: row.itemClass) else { throw .invalidMove("no such table") }
        if let last, let lastTable = ItemClass.stored.firstIndex(of: last.itemClass) {
            guard (lastTable, last.number) < (table, moved.number) else { throw .invalidMove("rows are out of order") }
        }
        guard Self.rowNumbers.contains(moved.number) else { throw .invalidMove("a row has no valid number") }
        guard Accessibility(rawValue: row.protection).map(Accessibility.stored.contains) == true else {
            throw .invalidMove("a row has an unknown protection class")
        }
        guard row.secret.count <= ItemLimits.secretByteCount + Self.sealingByteCount,
            row.metadata.count <= ItemLimits.metadataByteCount + Self.sealingByteCount
        else { throw .moveTooLarge }
        let known = ItemSchema.of(row.itemClass).searchableNames
        var next = known[...]
        for tag in row.tags {
            guard let index = next.firstIndex(of: tag.name) else { throw .invalidMove("a row has an unknown column") }
            next = next[(index + 1)...]
        }
        counts[table] += 1
        guard counts[table] <= device.rowCounts[table] else { throw .invalidMove("it has more rows than announced") }
        last = moved.place
    }

    /// Row numbers after which there is room for more.
    private static let rowNumbers: ClosedRange<Int64> = 1...(1 << 62)

    /// More than what sealing adds to a part of a row.
    private static let sealingByteCount = 1 << 16
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
                    guard try writer.insert(row) else { throw .invalidMove("two rows are the same item") }
                }
            }
        }
    }

    fileprivate func rowDigest() throws(KeychainError) -> [UInt8] {
        try withEngine(.reading) { (engine) throws(KeychainError) in
            try engine.read { (reader) throws(KeychainError) in
                var digest = RowDigest()
                try reader.forEachMovedRow { (row) throws(KeychainError) in
                    digest.add(row)
                    return true
                }
                return digest.finish()
            }
        }
    }
}
