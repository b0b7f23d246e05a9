// SPDX-License-Identifier: Apache-2.0

import HostFiles
import KeychainCore
import KeychainProtection
import KeychainStore

/// A keychain that leaves its store, or comes into it, with all that makes it the same device.
extension EmbeddedKeychain {
    /// The keychain of a folder, opened as whoever owns it; `nil` where there is no store.
    ///
    /// - Throws: ``KeychainError``, among others for an owner that this version does not know.
    package static func ofAnyOwner(
        at location: KeychainLocation,
        _ device: DeviceOptions = DeviceOptions()
    ) throws(KeychainError) -> EmbeddedKeychain? {
        var device = device
        for _ in 0..<Self.mostOwners {
            let keychain = EmbeddedKeychain(at: location, device: device)
            do throws(KeychainError) {
                return try keychain.checkOwner() ? keychain : nil
            } catch {
                guard let owner = error.foreignOwner, Self.movableOwners.contains(owner) else { throw error }
                device.owner = owner
            }
        }
        throw KeychainError(ProtectionError.foreignOwner(device.owner))
    }

    /// Removes what a move left behind that was killed: rows, and a root key that the store of the folder did not get.
    ///
    /// For who keeps others from moving the keychain of the folder meanwhile.
    package static func discardRemains(at location: KeychainLocation) throws(KeychainError) {
        IncomingKeychain.remove(from: location)
        // Whoever opens it puts the root key in place that its keybag is under.
        _ = try ofAnyOwner(at: location)
        do throws(FileError) {
            if let folder = try PrivateDirectory(existing: location) { RootKeyFile().discardNext(in: folder) }
        } catch {
            throw KeychainError(error)
        }
    }

    // Another process may change the owner meanwhile.
    private static let mostOwners = 8

    private static let movableOwners: Set<StoreOwner> = [.embedded, .system, .moving]

    /// What there is to move; nothing is made.
    package func moveStatus() throws(KeychainError) -> MoveStatus {
        guard try access.hasStore() else { return MoveStatus() }
        return try withEngine(.observing) { (engine) throws(KeychainError) in
            try engine.read { (reader) throws(KeychainError) in
                var status = MoveStatus()
                status.owner = engine.owner.name
                status.storeIdentifier = engine.device.keybag.storeIdentifier
                status.hasPasscode = engine.device.keybag.passcodeSlot != nil
                status.hasRows = try reader.hasRows()
                return status
            }
        }
    }

    /// The number of items of each class, for a rehearsal.
    package func itemCounts() throws(KeychainError) -> [(itemClass: ItemClass, count: Int)] {
        guard try access.hasStore() else { return [] }
        return try withEngine(.observing) { (engine) throws(KeychainError) in
            try engine.read { (reader) throws(KeychainError) in
                var counts: [(itemClass: ItemClass, count: Int)] = []
                for itemClass in ItemClass.stored {
                    counts.append((itemClass, try reader.count(RowFilter(itemClass), limit: .max)))
                }
                return counts
            }
        }
    }

    /// What makes the keychain the same device elsewhere, and the digest of its rows.
    ///
    /// - Complexity: Reads the whole store.
    /// - Throws: ``KeychainError``, among others for a root key that is not in a file, for a row of a wrong shape, and
    ///   for more than ``MoveLimits`` allow.
    package func movedDevice() throws(KeychainError) -> MovedDevice {
        try withEngine(.reading) { (engine) throws(KeychainError) in
            let rootKey = try engine.movableRootKey()
            return try engine.read { (reader) throws(KeychainError) in
                let keybag = try reader.keybag()
                let record = try reader.deviceRecord()
                var digest = RowDigest()
                var counts = [Int](repeating: 0, count: ItemClass.stored.count)
                var byteCount = 0
                try reader.forEachMovedRow { (row) throws(KeychainError) in
                    digest.add(row)
                    if let table = ItemClass.stored.firstIndex(of: row.row.itemClass) { counts[table] += 1 }
                    byteCount += row.row.byteCount
                    guard byteCount <= MoveLimits.byteCount else { throw .moveTooLarge }
                    return true
                }
                guard counts.reduce(0, +) <= MoveLimits.rowCount else { throw .moveTooLarge }
                return MovedDevice(
                    rootKey: rootKey,
                    keybag: keybag,
                    record: record,
                    rowCounts: counts,
                    digest: digest.finish()
                )
            }
        }
    }

    /// As many rows after a place as fit into a message; none after the last one.
    package func movedRows(after place: MovedRow.Place?) throws(KeychainError) -> [MovedRow] {
        try withEngine(.reading) { (engine) throws(KeychainError) in
            try engine.read { (reader) throws(KeychainError) in
                var rows: [MovedRow] = []
                var byteCount = 0
                try reader.forEachMovedRow(after: place) { (row) throws(KeychainError) in
                    byteCount += row.row.byteCount
                    guard rows.isEmpty || byteCount <= MoveLimits.messageByteCount else { return false }
                    rows.append(row)
                    return rows.count < MoveLimits.messageRowCount
                }
                return rows
            }
        }
    }

    /// What shows that its sender has the root key of this store.
    package func moveReceipt() throws(KeychainError) -> SecretBytes {
        try withEngine(.observing) { (engine) throws(KeychainError) in
            try engine.read { (_) throws(KeychainError) in
                guard let key = engine.rootKey as? SoftwareRootKey else { throw .immovableRootKey }
                return try protecting { () throws(ProtectionError) in
                    try key.receipt(for: engine.device.keybag.storeIdentifier)
                }
            }
        }
    }

    /// Replaces the device of this store, which must have no rows, by one that was moved here, with its rows.
    ///
    /// One transaction. Later calls need a keychain of the new owner.
    package func takeIn(_ incoming: IncomingKeychain, owner newOwner: StoreOwner) throws(KeychainError) {
        try withEngine(.alone) { (engine) throws(KeychainError) in
            let rows = try incoming.openStore()
            try engine.replaceDevice(
                { (files, folder) throws(RootKeyError) in
                    try files.prepare(incoming.device.rootKey, in: folder)
                },
                { (rootKey) throws(ProtectionError) in
                    try OpenKeybag(incoming.device.keybag, rootKey: rootKey, owner: .moving, floor: engine.floor)
                        .handedOver(to: newOwner)
                },
                incoming.device.record
            ) { (writer) throws(KeychainError) in
                guard try !writer.hasRows() else { throw .occupiedTarget }
                try rows.read { (reader) throws(KeychainError) in
                    try reader.forEachMovedRow { (row) throws(KeychainError) in
                        guard try writer.insert(row) else { throw .invalidMove("two rows are the same item") }
                        return true
                    }
                }
            }
        }
    }

    /// Replaces the device of this store by a new one without rows and passcode.
    ///
    /// One transaction. Later calls need a keychain of the new owner.
    package func empty(owner newOwner: StoreOwner) throws(KeychainError) {
        try withEngine(.alone) { (engine) throws(KeychainError) in
            try engine.replaceDevice(
                { (files, folder) throws(RootKeyError) in try files.prepareFresh(in: folder) },
                { (rootKey) throws(ProtectionError) in
                    try OpenKeybag.make(rootKey: rootKey, owner: newOwner, random: engine.random)
                },
                DeviceRecord()
            ) { (writer) throws(KeychainError) in try writer.deleteAllRows() }
        }
    }
}

extension Engine {
    fileprivate func movableRootKey() throws(KeychainError) -> SecretBytes {
        guard rootKey.kind == .software, let folder else { throw .immovableRootKey }
        do throws(RootKeyError) { return try RootKeyFile().bytes(in: folder) } catch { throw KeychainError(error) }
    }

    /// Replaces root key, keybag and record, and changes rows, in one transaction; the root key's file follows it.
    fileprivate func replaceDevice(
        _ prepare: (RootKeyFile, PrivateDirectory) throws(RootKeyError) -> SoftwareRootKey,
        _ keybag: (SoftwareRootKey) throws(ProtectionError) -> [UInt8],
        _ record: DeviceRecord,
        _ changeRows: (RowWriter) throws(KeychainError) -> Void
    ) throws(KeychainError) {
        guard rootKey.kind == .software, let folder else { throw .immovableRootKey }
        let files = RootKeyFile()
        let next: SoftwareRootKey
        do throws(RootKeyError) { next = try prepare(files, folder) } catch { throw KeychainError(error) }
        let bytes = try protecting { () throws(ProtectionError) in try keybag(next) }
        do throws(KeychainError) {
            try write { (writer) throws(KeychainError) in
                try changeRows(writer)
                var record = record
                // Programs that have the store open tell by the revision that the keybag is another one.
                record.keybagRevision = max(try writer.deviceRecord().keybagRevision, record.keybagRevision) &+ 1
                record.owesLogErasure = true
                try writer.setKeybag(bytes)
                try writer.setDeviceRecord(record)
            }
        } catch {
            // Of a change that may come to light later, the key is kept.
            if error.kind != .storage(.doubtfulCommit) { files.discardNext(in: folder) }
            throw error
        }
        withdrawUnlocks()
        try? lockMark?.replace()
        session.clear()
        forgetDevice()
        do throws(RootKeyError) { try files.settle(bytes, in: folder) } catch { throw KeychainError(error) }
        _ = try? store.eraseLog()
    }
}

func protecting<Result>(_ body: () throws(ProtectionError) -> Result) throws(KeychainError) -> Result {
    do throws(ProtectionError) { return try body() } catch { throw KeychainError(error) }
}

extension KeychainError {
    static let moveTooLarge = KeychainError(
        .dataTooLarge,
        "the keychain is too large to be moved: more than \(MoveLimits.rowCount) rows or \(MoveLimits.byteCount >> 20) MiB"
    )

    static let immovableRootKey = KeychainError(
        .notAvailable,
        "the root key of the keychain is not in a file, so it cannot be moved; create a backup, and restore that instead",
        kind: .keys(.unsupportedRootKey)
    )

    static let occupiedTarget = KeychainError(
        .notAvailable,
        "there is a keychain with items already, and nothing is overwritten",
        kind: .unavailable
    )

    /// The refusal of a keychain that is not as it was announced, or that no store could have.
    static func invalidMove(_ why: String) -> KeychainError {
        .parameter("the keychain cannot be moved: \(why)")
    }
}
