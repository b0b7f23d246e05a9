// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainHost
import KeychainProtection
import KeychainStore

/// The recovery key.
extension EmbeddedDevice {
    func summary() throws(KeychainError) -> DeviceSummary {
        try look { (reader, hasRootKey) throws(KeychainError) in
            // Another owner is noticed before the root key is looked for.
            try DeviceSummary(reader, hasRootKey: hasRootKey)
        } ?? DeviceSummary()
    }

    /// Runs `body` on the store, also where the root key is lost; `nil` if there is none.
    private func look<Result>(
        _ body: (RowReader, _ hasRootKey: Bool) throws(KeychainError) -> Result
    ) throws(KeychainError) -> Result? {
        if case .folder = access.source, try !access.hasStore() { return nil }
        do throws(KeychainError) {
            return try access.withEngine(.observing) { (engine) throws(KeychainError) in
                try engine.read { (reader) throws(KeychainError) in try body(reader, true) }
            }
        } catch {
            guard error.isOfLostRootKey || error.kind == .keys(.damagedKeybag) else { throw error }
        }
        return try KeylessStore.withExclusiveAccess(access) { (store) throws(KeychainError) in
            try store.read { (reader) throws(KeychainError) in try body(reader, false) }
        }
    }

    func createRecoveryKey(_ key: RecoveryKey, passcode: SecretBytes?) throws(KeychainError) {
        try PasscodeAttempt.withExclusiveAccess(access) { (attempt) throws(KeychainError) in
            let unlock = try attempt.prove(passcode, else: .passcodeNeededForRecoveryKey)
            let store = try attempt.withEngine { (engine) throws(KeychainError) in
                try engine.read { (_) throws(KeychainError) in engine.device.keybag.storeIdentifier }
            }
            let new = try protecting { () throws(ProtectionError) in
                try NewRecoverySlot(key, date: access.clock.now, for: store)
            }
            try attempt.replaceKeybag(unlockingWith: unlock) { (keybag) throws(ProtectionError) in
                try keybag.settingRecoveryKey(new, unlock)
            }
        }
    }

    func removeRecoveryKey(passcode: SecretBytes?) throws(KeychainError) {
        guard try summary().recoveryKeyDate != nil else { throw KeychainError(DeviceError.noRecoveryKey) }
        try PasscodeAttempt.withExclusiveAccess(access) { (attempt) throws(KeychainError) in
            let unlock = try attempt.prove(passcode, else: .passcodeNeededForRecoveryKey)
            try attempt.replaceKeybag(unlockingWith: unlock) { (keybag) throws(ProtectionError) in
                try keybag.removingRecoveryKey(unlock)
            }
        }
    }

    func checkRecoveryKey(_ key: RecoveryKey) throws(KeychainError) {
        let opened = try look { (reader, _) throws(KeychainError) in try open(reader.keybag(), key) }
        guard opened != nil else { throw KeychainError(DeviceError.noRecoveryKey) }
    }

    private func open(_ keybag: [UInt8], _ key: RecoveryKey) throws(KeychainError) -> RecoveredKeybag {
        let recovered = try protecting { () throws(ProtectionError) in
            try StackMemory.wiped { () throws(ProtectionError) in
                try RecoveredKeybag(keybag, key, owner: access.device.owner)
            }
        }
        guard let recovered else { throw KeychainError(DeviceError.wrongRecoveryKey) }
        return recovered
    }

    /// Two phases, as of a replacement of the root key, if that is lost; one transaction otherwise.
    func useRecoveryKey(
        _ key: RecoveryKey,
        newPasscode: SecretBytes?,
        newRecoveryKey: RecoveryKey
    ) throws(KeychainError) {
        guard newPasscode?.isEmpty != true else { throw KeychainError(DeviceError.emptyPasscode) }
        let done = try KeylessStore.withExclusiveAccess(access) { (store) throws(KeychainError) in
            let bytes = try store.keybag()
            let recovered = try open(bytes, key)
            guard newPasscode != nil || !recovered.hasPasscode else {
                throw .parameter("a passcode was set, so that a new one has to be: without one, items would be lost")
            }
            let now = access.clock.now
            return try store.replaceKeybag(bytes, under: store.rootKey(of: bytes)) {
                (rootKey) throws(KeychainError) -> NewPasscodeSlot? in
                try newPasscode.map { (passcode) throws(KeychainError) in
                    try access.derivations.derive { () throws(ProtectionError) in
                        try NewPasscodeSlot(
                            passcode,
                            access.device.passwordWork,
                            rootKey: rootKey,
                            for: recovered.storeIdentifier
                        )
                    }
                }
            } change: { (writer, rootKey, passcode) throws(KeychainError) in
                if passcode != nil, let generation = recovered.destroyedGeneration {
                    try writer.deleteDestroyedRows(generation)
                }
                var record = try writer.deviceRecord()
                record.keybagRevision &+= 1
                record.clearAttempts()
                record.owesLogErasure = true
                try writer.setDeviceRecord(record)
                return try protecting { () throws(ProtectionError) in
                    try recovered.replaced(
                        under: rootKey,
                        passcode,
                        NewRecoverySlot(newRecoveryKey, date: now, for: recovered.storeIdentifier)
                    )
                }
            }
        }
        guard let slot = done else { throw KeychainError(DeviceError.noRecoveryKey) }
        guard let slot else { return }
        // The device is recovered already; whoever knows the passcode can unlock it as well.
        try? PasscodeAttempt.withExclusiveAccess(access) { (attempt) throws(KeychainError) in
            try attempt.unlock(with: slot.key)
        }
    }
}

extension DeviceSummary {
    /// What a store says without its keys.
    fileprivate init(_ reader: RowReader, hasRootKey: Bool) throws(KeychainError) {
        self.init(exists: true, hasRootKey: hasRootKey)
        if let keybag = try? KeybagSummary(try reader.keybag()) {
            hasPasscode = keybag.hasPasscode
            recoveryKeyDate = keybag.recoveryKeyDate
        }
        var count = 0
        for itemClass in ItemClass.stored { count += try reader.count(RowFilter(itemClass), limit: .max) }
        itemCount = count
    }
}

extension KeychainError {
    fileprivate static let passcodeNeededForRecoveryKey = KeychainError(
        .authenticationFailed,
        "a recovery key is made and removed only with the passcode that is set"
    )

    /// Whether a store cannot be opened because its root key is not there, or is not its own: a recovery key opens it,
    /// and it can be erased.
    package var isOfLostRootKey: Bool {
        guard case .keys(let failure) = kind else { return false }
        return [.missingRootKey, .damagedRootKey, .wrongRootKey, .unsupportedRootKey].contains(failure)
    }
}
