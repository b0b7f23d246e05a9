// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainProtection
import KeychainStore

/// The changes of the device in one transaction that derive nothing from a passcode.
extension Engine {
    func deviceStatus(_ now: HostTime) throws(KeychainError) -> DeviceStatus {
        try read { (reader) throws(KeychainError) in
            let record = try reader.deviceRecord()
            let hasPasscode = device.keybag.passcodeSlot != nil
            return DeviceStatus(
                lockState: hasPasscode ? session.lockState : .unlocked,
                hasPasscode: hasPasscode,
                failedAttempts: Int(clamping: record.failedAttempts),
                secondsUntilNextAttempt: AttemptDelay.remaining(record, now),
                policy: DevicePolicy(record)
            )
        }
    }

    func hasPasscode() throws(KeychainError) -> Bool {
        try read { (_) throws(KeychainError) in device.keybag.passcodeSlot != nil }
    }

    func setPolicy(_ policy: DevicePolicy) throws(KeychainError) {
        let changed = try write { (writer) throws(KeychainError) in
            guard device.isAvailable(.whenUnlocked) else { throw KeychainError(DeviceError.locked) }
            var record = try writer.deviceRecord()
            record.keybagRevision &+= 1
            record.autoLockAfterSeconds = policy.autoLockAfterSeconds.map(Int64.init)
            record.eraseAfterFailedAttempts = policy.eraseAfterFailedAttempts.map(Int64.init)
            try writer.setDeviceRecord(record)
            return stored(device.keybag, record)
        }
        session.recordWritten(changed)
    }

    /// Replaces the keybag, and unlocks the new one.
    ///
    /// - Parameters:
    ///   - key: the key of the passcode slot of the new keybag; `nil` if it has none, or is not to be unlocked.
    ///   - newRootKey: the root key that wraps the new keybag; `nil` for the present one.
    ///   - make: returns the bytes of the new keybag.
    /// - Throws: The errors of `make` and of the store; nothing has changed in that case.
    func replaceKeybag(
        unlockingWith key: SlotKey?,
        under newRootKey: (any RootKey)? = nil,
        _ make: (OpenKeybag) throws(ProtectionError) -> [UInt8]
    ) throws(KeychainError) {
        let mark = key == nil ? nil : try lockMark?.readOrMake()
        let (changed, keys) = try write { (writer) throws(KeychainError) in
            let bytes: [UInt8]
            let keybag: OpenKeybag
            let keys: UnlockedKeys?
            do throws(ProtectionError) {
                bytes = try make(device.keybag)
                keybag = try OpenKeybag(bytes, rootKey: newRootKey ?? rootKey, owner: owner, floor: floor)
                keys = try key.map { key throws(ProtectionError) in try keybag.unlock(with: key) }
            } catch {
                throw KeychainError(error)
            }
            try writer.replaceKeybag(bytes)
            // Rows of keys that a removed passcode took with it; until now they could still be deleted by name.
            if keybag.passcodeSlot != nil, let generation = device.keybag.destroyedGeneration {
                try writer.deleteDestroyedRows(generation)
            }
            var record = try writer.deviceRecord()
            record.keybagRevision &+= 1
            record.clearAttempts()
            record.owesLogErasure = true
            try writer.setDeviceRecord(record)
            return (stored(keybag, record), keys)
        }
        if let newRootKey { rootKey = newRootKey }
        dropKeys()
        if let keys {
            session.install(keys, of: changed, mark)
        } else {
            session.clear()
        }
        try? eraseLog()
    }

    /// Resets the device: no items, no passcode, new keys.
    func erase() throws(KeychainError) {
        try write { (writer) throws(KeychainError) in
            let keybag: [UInt8]
            do throws(ProtectionError) {
                keybag = try OpenKeybag.make(rootKey: rootKey, owner: owner, random: random)
            } catch {
                throw KeychainError(error)
            }
            try writer.deleteAllRows()
            try resetDevice(with: keybag, writer)
        }
        forgetEverything()
    }

    /// Inserts the rows of a backup into an empty store, sealed under the new keys of another keybag.
    ///
    /// - Returns: The number of items in the store.
    func restore(
        _ backup: BackupReader,
        _ opened: OpenBackup,
        onFile: @escaping () -> Void
    ) throws(KeychainError) -> Int {
        let items = try write { (writer) throws(KeychainError) in
            guard try !writer.hasRows() else {
                throw KeychainError(.notAvailable, "the keychain holds items already; erase it before it is restored")
            }
            let made: NewKeybag
            do throws(ProtectionError) {
                made = try NewKeybag(rootKey: rootKey, random.bytes16(), owner: owner, floor)
            } catch {
                throw KeychainError(error)
            }
            try resetDevice(with: made.bytes, writer)
            return try writer.add(rowsOf: backup, RestoredStore(opened, keybag: made, random: random, onFile: onFile))
        }
        forgetEverything()
        return items
    }

    private func resetDevice(with keybag: [UInt8], _ writer: RowWriter) throws(KeychainError) {
        let old = try writer.deviceRecord()
        try writer.replaceKeybag(keybag)
        var record = DeviceRecord()
        record.keybagRevision = old.keybagRevision &+ 1
        record.owesLogErasure = true
        try writer.setDeviceRecord(record)
    }

    private func forgetEverything() {
        withdrawUnlocks()
        // The keys that others have open nothing any more.
        try? lockMark?.replace()
        try? folder.map(ScheduleMark.init)?.remove()
        session.clear()
        forgetDevice()
        try? eraseLog()
    }

    /// Drops the keys that a lock makes unavailable, also from the device of the last transaction.
    private func dropKeys() {
        withdrawUnlocks()
        session.lock()
        forgetDevice()
    }
}

extension DeviceRecord {
    /// Resets the count of passcode attempts.
    mutating func clearAttempts() {
        failedAttempts = 0
        interruptedAttempts = 0
        lastAttempt = nil
    }
}
