// SPDX-License-Identifier: Apache-2.0

import Glibc
import KeychainCore
import KeychainHost
import KeychainProtection
import KeychainStore

/// The erasure of the device, which takes neither passcode nor root key.
extension EmbeddedDevice {
    func erase() throws(KeychainError) {
        let done: Void? = try KeylessStore.withExclusiveAccess(access) { (store) throws(KeychainError) in
            try store.erase()
        }
        if done != nil { access.device.onEvent(.erased) }
    }

    /// Whether there is a store that has nothing in it: no rows, no passcode, no recovery key.
    var isUnused: Bool {
        get throws(KeychainError) {
            guard try access.hasStore() else { return false }
            return try access.withEngine(.observing) { (engine) throws(KeychainError) in
                try engine.read { (reader) throws(KeychainError) in
                    let (keybag, hasRows) = (engine.device.keybag, try reader.hasRows())
                    return keybag.passcodeSlot == nil && keybag.recoveryKeyDate == nil && !hasRows
                }
            }
        }
    }
}

extension KeylessStore {
    /// Empties the store in its place, under another root key: programs that have it open go on with an empty one.
    ///
    /// A store that cannot be read is removed with its files.
    fileprivate func erase() throws(KeychainError) {
        do throws(KeychainError) {
            let keybag = try keybagOfAnyShape()
            // In the transaction, the keybag still has to be this one.
            try checkMayErase(hasPasscode: (try? KeybagSummary(keybag))?.hasPasscode)
            let rootKey = try folder == nil ? self.rootKey(of: keybag) : nil
            try replaceKeybag(keybag, under: rootKey) { (_) throws(KeychainError) in
            } change: { (writer, rootKey, _) throws(KeychainError) in
                try writer.deleteAllRows()
                // Another number than before, also where that cannot be read.
                let revision = (try? writer.deviceRecord())?.keybagRevision ?? .random(in: 1 << 32..<1 << 33)
                var record = DeviceRecord()
                record.keybagRevision = revision &+ 1
                record.owesLogErasure = true
                try writer.setDeviceRecord(record)
                return try protecting { () throws(ProtectionError) in
                    try OpenKeybag.make(rootKey: rootKey, owner: access.device.owner, random: access.random)
                }
            }
        } catch {
            guard folder != nil, error.isOfUnreadableStore else { throw error }
            try checkMayErase(hasPasscode: nil)
            try removeFiles()
        }
        if case .folder(let location, _) = access.source, let folder { StoreRemains(in: folder, location).remove() }
    }

    /// Refuses a command that must keep the passcode.
    ///
    /// - Parameter hasPasscode: whether one is set; `nil` if that cannot be read.
    /// - Throws: `errSecMissingEntitlement`, if one may be set.
    private func checkMayErase(hasPasscode: Bool?) throws(KeychainError) {
        guard hasPasscode != false, access.device.keepsPasscode() else { return }
        throw KeychainError(
            .missingEntitlement,
            "the system service knows the owner of a keychain by the passcode, so this process has to enter that first; "
                + "without it, root erases the keychain: 'keychainctl device erase' says how",
            facts: ["proof": "passcode"]
        )
    }

    /// The bytes of the keybag, which need not be one.
    private func keybagOfAnyShape() throws(KeychainError) -> [UInt8] {
        do throws(KeychainError) { return try keybag() } catch {
            guard error.kind == .keys(.damagedKeybag) else { throw error }
            return try read { (reader) throws(KeychainError) in try reader.keybag() }
        }
    }

    /// Removes a store that nobody can open: first its file, without which there is none.
    private func removeFiles() throws(KeychainError) {
        guard let folder else { return }
        try access.whileClosed { () throws(KeychainError) in
            let path = folder.path(of: Store.fileName)
            guard unlink(path) == 0 || errno == ENOENT else {
                throw KeychainError(FileError.system(call: "unlink", path: path, errno: errno))
            }
            for companion in ["-wal", "-shm", "-journal"] { folder.remove(Store.fileName + companion) }
            access.device.rootKeys.removeAll(in: folder)
            ReplacementMark(folder).remove()
            try? LockMark(folder).replace()
            access.session.clear()
        }
    }
}

extension KeychainError {
    /// Whether the file of the store is none, or none that was ever released.
    fileprivate var isOfUnreadableStore: Bool {
        guard case .storage(let failure) = kind else { return false }
        return [.damaged, .unreadableLog, .unreleasedFormat].contains(failure)
    }
}
