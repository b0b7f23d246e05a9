// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainHost
import KeychainProtection
import KeychainStore

/// The owner of the store, and how it changes.
extension EmbeddedKeychain {
    /// Hands the store over to another owner.
    ///
    /// It is one transaction: a process that has the store open fails at its next transaction with
    /// ``KeychainError/Kind/foreignOwner(_:)``, and a transaction in progress is finished before. Unlocked keys, also
    /// those offered to other programs, are locked.
    ///
    /// - Parameters:
    ///   - owner: the new owner; this keychain can no longer open the store.
    ///   - mustBeEmpty: whether to refuse that for a store with items or a passcode.
    /// - Throws: ``KeychainError`` with the reason; the owner is unchanged.
    package func handOver(to owner: StoreOwner, onlyIfEmpty mustBeEmpty: Bool = false) throws(KeychainError) {
        try withEngine(.exclusive) { (engine) throws(KeychainError) in
            try engine.handOver(to: owner, onlyIfEmpty: mustBeEmpty)
        }
    }

    /// Records the store's owner in the folder, so that programs know it without opening the store.
    ///
    /// Nothing is recorded for a store that others change meanwhile: then programs consult the store.
    ///
    /// - Throws: ``KeychainError``, among others for the store of another owner.
    package func recordOwner() throws(KeychainError) {
        guard case .folder(let location, _) = access.source else { return }
        let folder: PrivateDirectory
        do { folder = try PrivateDirectory(location) } catch { throw KeychainError(error) }
        _ = try withEngine(.exclusive) { (engine) throws(KeychainError) in try engine.store.eraseLog() }
        var pauses = Deadline.Pauses(until: Deadline(milliseconds: access.patienceMilliseconds))
        repeat {
            let record = try OwnerRecord(in: folder) { () throws(KeychainError) in
                guard try checkOwner() else { throw .noStore }
                return access.device.owner
            }
            guard let record else { continue }
            do { return try record.write(in: folder) } catch { throw KeychainError(error) }
        } while pauses.wait()
    }

    /// The recorded owner of the store in a folder, if the store was not changed since.
    package static func recordedOwner(in folder: PrivateDirectory) -> StoreOwner? {
        OwnerRecord(current: folder)?.owner
    }

    /// Makes programs consult the store for its owner.
    package static func removeOwnerRecord(in folder: PrivateDirectory) { OwnerRecord.remove(in: folder) }

    /// Whether the store contains items of any client, including those that cannot be opened.
    ///
    /// - Throws: As ``checkOwner()``.
    package func hasItems() throws(KeychainError) -> Bool {
        guard try access.hasStore() else { return false }
        return try withEngine(.observing) { (engine) throws(KeychainError) in
            try engine.read { (reader) throws(KeychainError) in try Engine.hasItems(reader) }
        }
    }

    /// Whether this process has unlocked the device, and it was not locked since; does not count as a use of it.
    package var isUnlocked: Bool { access.lockState == .unlocked }

    /// Whether another process would have to unlock keys that are unlocked in this one.
    ///
    /// It does not count as a use of the device.
    package var holdsUnlockedKeys: Bool { access.lockState != .beforeFirstUnlock }

    /// A number for the current unlock of the device, which changes with each lock and each change of the passcode;
    /// `nil` while it is locked, and without a passcode.
    ///
    /// No other keychain of this process has an unlock of the same number. Does not count as a use of the device.
    package func currentUnlock() throws(KeychainError) -> UInt64? {
        try withEngine(.observing) { (engine) throws(KeychainError) in
            try engine.read { (_) throws(KeychainError) in engine.session.currentUnlock }
        }
    }

    /// The path of the root key's file if the file has another name as well; `nil` if it has none, or does not exist.
    ///
    /// With another name, the key stays on the disk when this name is removed or replaced.
    package var linkedRootKey: String? {
        guard case .folder(let location, _) = access.source,
            let folder = (try? PrivateDirectory(existing: location)) ?? nil, folder.hasOtherNames(RootKeyFile.name)
        else { return nil }
        return folder.path(of: RootKeyFile.name)
    }

    /// The part of the folder's path at which another user could substitute another folder; `nil` if there is none, or
    /// if the keychain has no folder.
    package var replaceablePart: ReplaceablePart? {
        guard case .folder(let location, _) = access.source else { return nil }
        return ReplaceablePart(of: location.path)
    }

    /// Whether there is a store that this keychain may open; nothing is created.
    ///
    /// - Throws: ``KeychainError``, of ``KeychainError/Kind/foreignOwner(_:)`` for the store of another owner.
    package func checkOwner() throws(KeychainError) -> Bool {
        guard try access.hasStore() else { return false }
        try withEngine(.observing) { (engine) throws(KeychainError) in
            try engine.read { (_) throws(KeychainError) in }
        }
        return true
    }
}

extension Engine {
    fileprivate func handOver(to newOwner: StoreOwner, onlyIfEmpty mustBeEmpty: Bool) throws(KeychainError) {
        guard newOwner != owner else { return }
        if let folder { StoreReplacement.removeRemains(from: folder, until: Deadline(milliseconds: 0)) }
        try write { (writer) throws(KeychainError) in
            if mustBeEmpty, try Self.hasItems(writer) {
                throw KeychainError(.notAvailable, "the keychain has items", kind: .storage(.hasItems))
            }
            if mustBeEmpty, device.keybag.passcodeSlot != nil {
                throw KeychainError(.notAvailable, "the keychain has a passcode")
            }
            try writer.replaceKeybag(device.keybag.handedOver(to: newOwner))
            var record = try writer.deviceRecord()
            record.keybagRevision &+= 1
            try writer.setDeviceRecord(record)
        }
        withdrawUnlocks()
        // Keys that other processes have unlocked are wiped at their next call, before they find the other owner.
        try? lockMark?.replace()
        session.clear()
        forgetDevice()
    }
}

extension Engine {
    /// Whether there are items of any client, including those that cannot be opened.
    static func hasItems(_ reader: RowReader) throws(KeychainError) -> Bool {
        for itemClass in ItemClass.stored {
            let every = RowFilter(itemClass)
            if try reader.count(every, limit: 1) > 0 { return true }
            if try !reader.quarantinedRows(every, limit: 1).isEmpty { return true }
        }
        return false
    }
}
