// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainHost
import KeychainProtection
import KeychainStore

/// A keychain that is moved from or into a store, with everything that makes it the same device.
extension EmbeddedKeychain {
    /// The keychain of a folder as one owner opens it.
    package convenience init(
        at location: KeychainLocation,
        of owner: StoreOwner,
        _ device: DeviceOptions = DeviceOptions(),
        _ options: StoreOptions = StoreOptions()
    ) {
        var device = device
        device.owner = owner
        self.init(at: location, options: options, device: device)
    }

    /// The keychain of a folder, opened as its actual owner; `nil` if there is no store.
    ///
    /// - Throws: ``KeychainError``, for example for an owner that this version does not support.
    package static func ofAnyOwner(
        at location: KeychainLocation,
        _ device: DeviceOptions = DeviceOptions()
    ) throws(KeychainError) -> EmbeddedKeychain? {
        var owner = device.owner
        for _ in 0..<Self.maximumOwners {
            let keychain = EmbeddedKeychain(at: location, of: owner, device)
            do throws(KeychainError) {
                return try keychain.checkOwner() ? keychain : nil
            } catch {
                guard let next = error.foreignOwner, Self.movableOwners.contains(next) else { throw error }
                owner = next
            }
        }
        throw KeychainError(ProtectionError.foreignOwner(owner))
    }

    /// Removes the remains of a move that was killed: rows, and root keys that the store of the folder did not adopt.
    ///
    /// The caller prevents other processes from moving the keychain of the folder meanwhile.
    package static func discardRemains(
        at location: KeychainLocation,
        _ device: DeviceOptions = DeviceOptions()
    ) throws(KeychainError) {
        IncomingKeychain.remove(from: location)
        guard try hasRemains(at: location, device) else { return }
        try ofAnyOwner(at: location, device)?.settleRootKey()
    }

    /// Whether a move is in progress in a folder, or left rows there or a root key that is not in place.
    package static func hasRemains(
        at location: KeychainLocation,
        _ device: DeviceOptions = DeviceOptions()
    ) throws(KeychainError) -> Bool {
        let folder: PrivateDirectory?
        do { folder = try PrivateDirectory(existing: location) } catch { throw KeychainError(error) }
        guard let folder else { return false }
        return device.rootKeys.hasNext(in: folder) || ReplacementMark(folder).isThere
            || folder.names(beginningWith: "").contains(IncomingKeychain.folderName)
    }

    // Another process may change the owner meanwhile.
    private static let maximumOwners = 8

    private static let movableOwners: Set<StoreOwner> = [.embedded, .system, .moving]

    /// What there is to move; nothing is created.
    package func moveStatus() throws(KeychainError) -> MoveStatus {
        guard try access.hasStore() else { return MoveStatus() }
        return try withEngine(.observing) { (engine) throws(KeychainError) in
            try engine.read { (reader) throws(KeychainError) in
                var status = MoveStatus()
                status.owner = engine.owner
                status.storeIdentifier = engine.device.keybag.storeIdentifier
                for itemClass in ItemClass.stored {
                    status.itemCounts.append(try reader.count(RowFilter(itemClass), limit: .max))
                }
                status.hasItems = try Engine.hasItems(reader)
                status.hasRows = try reader.hasRows()
                status.hasPasscode = engine.device.keybag.passcodeSlot != nil
                return status
            }
        }
    }

    /// What would be moved; throws if ``movedDevice()`` does, and nothing leaves the store.
    ///
    /// - Complexity: Reads the whole store.
    package func movedRows() throws(KeychainError) -> MovedRows {
        try withEngine(.reading) { (engine) throws(KeychainError) in
            try engine.checkRootKey()
            return try engine.read { (reader) throws(KeychainError) in try reader.movedRows() }
        }
    }

    /// Everything that makes the keychain the same device elsewhere, and the digest of its rows.
    ///
    /// - Complexity: Reads the whole store.
    /// - Throws: ``KeychainError``, for example for a root key that cannot be exported, or if ``MoveLimits`` are
    ///   exceeded.
    package func movedDevice() throws(KeychainError) -> MovedDevice {
        try withEngine(.reading) { (engine) throws(KeychainError) in
            let (source, folder) = try engine.checkRootKey()
            return try engine.read { (reader) throws(KeychainError) in
                let keybag = try reader.keybag()
                let rootKey: SecretBytes
                do throws(RootKeyError) { rootKey = try source.bytes(of: keybag, in: folder) } catch {
                    throw KeychainError(error)
                }
                return MovedDevice(
                    rootKey: rootKey,
                    keybag: keybag,
                    record: try reader.deviceRecord(),
                    rows: try reader.movedRows()
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
                try reader.forEachMovableRow(after: place) { (row) throws(KeychainError) in
                    byteCount += row.row.byteCount
                    guard rows.isEmpty || byteCount <= MoveLimits.messageByteCount else { return false }
                    rows.append(row)
                    return rows.count < MoveLimits.messageRowCount
                }
                return rows
            }
        }
    }

    /// The proof that this store contains all of its keychain.
    ///
    /// - Complexity: Reads the whole store.
    package func movedCopy() throws(KeychainError) -> MovedCopy {
        try withEngine(.reading) { (engine) throws(KeychainError) in
            try engine.read { (reader) throws(KeychainError) in try engine.movedCopy(reader) }
        }
    }

    /// Fails unless this store contains the same keychain as the copy: root key, passcode and all rows.
    ///
    /// - Complexity: Reads the whole store.
    package func compare(_ copy: MovedCopy) throws(KeychainError) {
        try withEngine(.reading) { (engine) throws(KeychainError) in
            try engine.read { (reader) throws(KeychainError) in try engine.compare(copy, reader) }
        }
    }

    /// Replaces the device of this store by one that was moved here, with its rows.
    ///
    /// This is one transaction. Later calls need a keychain of the new owner.
    ///
    /// - Parameters:
    ///   - incoming: the received keychain, which was compared with the announcement.
    ///   - newOwner: the new owner.
    ///   - mark: the earlier mark of this store; it must be unchanged, with neither items nor a passcode.
    /// - Throws: ``KeychainError``; the store is unchanged in that case.
    package func install(
        _ incoming: IncomingKeychain,
        owner newOwner: StoreOwner,
        replacing mark: StoreMark
    ) throws(KeychainError) {
        // Messages of two copies of one keychain would be indistinguishable afterwards.
        guard !mark.isOf(incoming.storeIdentifier) else { throw .invalidMove("it is here already") }
        try withEngine(.exclusive) { (engine) throws(KeychainError) in
            // Before anything can arrive that has the identifier which it names.
            try engine.folder.map(ScheduleMark.init)?.remove()
            let rows = try incoming.openStore()
            try engine.replaceDevice(
                rootKey: incoming.device.rootKey,
                keybag: { (rootKey) throws(ProtectionError) in
                    try OpenKeybag(incoming.device.keybag, rootKey: rootKey, owner: .moving, floor: engine.floor)
                        .handedOver(to: newOwner)
                },
                record: incoming.device.record
            ) { (writer) throws(KeychainError) in
                guard try mark.isOf(engine, writer) else { throw .changedTarget }
                guard try !Engine.hasItems(writer), engine.device.keybag.passcodeSlot == nil else {
                    throw .occupiedTarget
                }
                // Marks of deleted items of a device that ends here.
                try writer.deleteAllRows()
                var hasPasswords = false
                try rows.read { (reader) throws(KeychainError) in
                    try reader.forEachMovedRow { (row) throws(KeychainError) in
                        guard let row else { throw .invalidMove("a row that was received is damaged") }
                        guard try writer.insert(row) else { throw .repeatedRow(row) }
                        hasPasswords = hasPasswords || LookupMapping.has(row.row.itemClass)
                        return true
                    }
                }
                // What was listed of their lookup attributes stays behind, and only their keys tell which have some.
                if hasPasswords { try writer.recordUnlistedRows() }
            }
        }
    }

    /// Replaces the device of this store by a new one without rows and passcode.
    ///
    /// This is one transaction. Later calls need a keychain of the new owner.
    ///
    /// - Parameters:
    ///   - newOwner: the new owner.
    ///   - copy: what the other side holds: it must be all that this store has, or nothing is removed.
    /// - Throws: ``KeychainError``; the store is unchanged in that case.
    package func empty(owner newOwner: StoreOwner, ifCopied copy: MovedCopy) throws(KeychainError) {
        try withEngine(.exclusive) { (engine) throws(KeychainError) in
            try engine.replaceDevice(
                rootKey: nil,
                keybag: { (rootKey) throws(ProtectionError) in
                    try OpenKeybag.make(rootKey: rootKey, owner: newOwner, random: engine.random)
                },
                record: DeviceRecord()
            ) { (writer) throws(KeychainError) in
                try engine.compare(copy, writer)
                try writer.deleteAllRows()
            }
        }
    }

    /// Puts the root key in place that the keybag is under, and removes the others.
    private func settleRootKey() throws(KeychainError) {
        try withEngine(.exclusive) { (engine) throws(KeychainError) in try engine.settleRootKey() }
    }
}

extension Engine {
    fileprivate func movedCopy(_ reader: RowReader) throws(KeychainError) -> MovedCopy {
        MovedCopy(receipt: try moveReceipt(), digest: try reader.movedRows().digest)
    }

    fileprivate func compare(_ copy: MovedCopy, _ reader: RowReader) throws(KeychainError) {
        // A caller without the root key cannot make this read all rows.
        guard try moveReceipt() == copy.receipt else { throw .otherCopy }
        guard try reader.movedRows().digest == copy.digest else { throw .changedSource }
    }

    /// A proof that requires the root key and the passcode slot of this store.
    private func moveReceipt() throws(KeychainError) -> SecretBytes {
        guard let key = rootKey as? any ProvableRootKey else { throw .immovableRootKey }
        return try protecting { () throws(ProtectionError) in
            try key.receipt(for: device.keybag.storeIdentifier, device.keybag.passcodeSlot)
        }
    }

    /// Refuses a root key that cannot be moved.
    ///
    /// - Returns: The source that keeps it, and the folder of the store.
    @discardableResult
    fileprivate func checkRootKey() throws(KeychainError) -> (any ReplaceableRootKeySource, PrivateDirectory) {
        guard let source = rootKeys.replaceable(rootKey.kind), let folder else { throw .immovableRootKey }
        return (source, folder)
    }

    /// Replaces root key, keybag and record, and changes rows, in one transaction; afterwards the root key is put in
    /// place.
    ///
    /// - Parameters:
    ///   - newRootKey: the next root key; `nil` for a random one.
    ///   - keybag: creates the keybag under it.
    ///   - record: the record of the device.
    ///   - changeRows: changes the rows, before everything else.
    /// - Throws: ``KeychainError``, or the errors of the closures; nothing has changed in that case.
    fileprivate func replaceDevice(
        rootKey newRootKey: SecretBytes?,
        keybag: (any RootKey) throws(ProtectionError) -> [UInt8],
        record: DeviceRecord,
        _ changeRows: (RowWriter) throws(KeychainError) -> Void
    ) throws(KeychainError) {
        let (source, folder) = try checkRootKey()
        // No other process puts a root key in place meanwhile.
        let lock = try Store.lock(folder, until: Deadline(milliseconds: 0))
        StoreReplacement.removeRemains(from: folder)
        let next: NextRootKey
        do throws(RootKeyError) { next = try source.makeNext(newRootKey, in: folder) } catch {
            throw KeychainError(error)
        }
        let bytes: [UInt8]
        do throws(KeychainError) {
            bytes = try protecting { () throws(ProtectionError) in try keybag(next.key) }
            try write { (writer) throws(KeychainError) in
                try changeRows(writer)
                var record = record
                // Programs that have the store open detect the new keybag by its revision.
                record.keybagRevision = max(try writer.deviceRecord().keybagRevision, record.keybagRevision) &+ 1
                record.owesLogErasure = true
                try writer.replaceKeybag(bytes)
                try writer.setDeviceRecord(record)
            }
        } catch {
            // If the change may take effect later, the key is kept.
            if error.kind != .storage(.doubtfulCommit) { source.remove(next, in: folder) }
            throw error
        }
        withdrawUnlocks()
        try? lockMark?.replace()
        try? ScheduleMark(folder).remove()
        session.clear()
        forgetDevice()
        // Until it is in place, it is found next to the previous one; `hasRemains` reports that.
        try? source.settle(bytes, in: folder)
        _ = try? store.eraseLog()
        _ = consume lock
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
        "the root key of the keychain cannot be taken out of where it is kept, so the keychain cannot be moved; create "
            + "a backup, and restore that instead",
        kind: .keys(.unsupportedRootKey)
    )

    static let occupiedTarget = KeychainError(
        .notAvailable,
        "there is a keychain with items already, and nothing is overwritten",
        kind: .unavailable
    )

    static let changedTarget = KeychainError(
        .notAvailable,
        "the keychain that was to be replaced was changed meanwhile, and nothing is overwritten; try again",
        kind: .unavailable
    )

    static let changedSource = KeychainError(
        .notAvailable,
        "the system service and the user's own store have the same keychain with different items, and nothing is removed; "
            + "move the folder of the user's own store away to keep the other one, or have root do so with that of the "
            + "service",
        kind: .unavailable
    )

    static let otherCopy = KeychainError(
        .missingEntitlement,
        "only who has the same keychain, with its root key and its present passcode, can have it removed; if the passcode was "
            + "changed since the user's own store was copied, move the folder of that store away"
    )

    static func repeatedRow(_ row: MovedRow) -> KeychainError { invalidMove(row, "another row is the same item") }

    static func invalidMove(_ row: MovedRow, _ why: String) -> KeychainError {
        invalidMove("row \(row.number) of \(row.row.itemClass.rawValue): \(why)")
    }

    /// The refusal of a keychain that is not as it was announced, or that no store could have.
    static func invalidMove(_ why: String) -> KeychainError {
        .parameter("the keychain cannot be moved: \(why)")
    }
}
