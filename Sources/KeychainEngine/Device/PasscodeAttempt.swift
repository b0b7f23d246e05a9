// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainFiles
import KeychainProtection
import KeychainStore

/// One try of a passcode: one after the other over all processes, counted before it is judged.
///
/// So whoever is killed, or kills the process, in the midst of a try has used it up.
struct PasscodeAttempt {
    private let access: EngineAccess

    private static let lockName = "attempt.lock"

    /// How long to wait for the tries of others.
    private static let lockTimeoutMilliseconds: Int32 = 120_000

    /// Runs `body` while nobody else tries a passcode of the keychain.
    static func alone<Result>(
        _ access: EngineAccess,
        _ body: (PasscodeAttempt) throws(KeychainError) -> Result
    ) throws(KeychainError) -> Result {
        let attempt = PasscodeAttempt(access: access)
        guard let folder = try access.withEngine({ (engine) throws(KeychainError) in engine.folder }) else {
            access.attempts.acquire()
            defer { access.attempts.release() }
            return try body(attempt)
        }
        let lock: FileLock
        do {
            lock = try FileLock(lockName, in: folder, timeoutMilliseconds: lockTimeoutMilliseconds)
        } catch {
            throw KeychainError(error)
        }
        let result = try body(attempt)
        _ = consume lock
        return result
    }

    /// The slot that a passcode opens; `nil` when none is set.
    func slot() throws(KeychainError) -> PasscodeSlot? {
        try access.withEngine { (engine) throws(KeychainError) in
            try engine.read { (_) throws(KeychainError) in engine.device.keybag.passcodeSlot }
        }
    }

    /// The key that a passcode gives; `nil` on a device that has none.
    ///
    /// - Throws: A ``DeviceError`` when it is wrong or comes too soon.
    func check(_ passcode: SecretBytes) throws(KeychainError) -> SlotKey? {
        guard let slot = try count() else { return nil }
        let rootKey = try rootKey()
        let opened: SlotKey?
        do {
            opened = try slot.open(passcode, rootKey: rootKey)
        } catch {
            // It was never judged, for example for want of memory.
            try change { $0.failedAttempts = max(0, $0.failedAttempts - 1) }
            throw KeychainError(error)
        }
        guard let key = opened else { throw try refuse() }
        try change {
            $0.failedAttempts = 0
            $0.lastAttempt = nil
        }
        access.device.onEvent(.passcodeAccepted)
        return key
    }

    /// Takes into this process what the passcode slot's key opens.
    func unlock(with key: SlotKey) throws(KeychainError) {
        try access.withEngine { (engine) throws(KeychainError) in
            let (keys, keybag, record) = try engine.read { (reader) throws(KeychainError) in
                let record = try reader.deviceRecord()
                let keybag = engine.device.keybag
                do throws(ProtectionError) {
                    return (try keybag.unlock(with: key), keybag, record)
                } catch {
                    throw KeychainError(error)
                }
            }
            engine.session.install(keys, of: keybag, record)
        }
    }

    /// The slow half of setting a passcode.
    func derive(_ passcode: SecretBytes) throws(KeychainError) -> NewPasscodeSlot {
        let rootKey = try rootKey()
        do {
            return try NewPasscodeSlot(passcode, access.device.passwordWork, rootKey: rootKey)
        } catch {
            throw KeychainError(error)
        }
    }

    /// The quick half of setting, changing or removing a passcode.
    func replaceKeybag(
        unlockingWith key: SlotKey?,
        _ make: (OpenKeybag) throws(ProtectionError) -> [UInt8]
    ) throws(KeychainError) {
        try access.withEngine { (engine) throws(KeychainError) in
            try engine.replaceKeybag(unlockingWith: key, make)
        }
    }

    private func rootKey() throws(KeychainError) -> any RootKey {
        try access.withEngine { (engine) throws(KeychainError) in engine.rootKey }
    }

    /// Counts a try as failed, before it is judged.
    func count() throws(KeychainError) -> PasscodeSlot? {
        let now = access.device.hostClock.now
        return try access.withEngine { (engine) throws(KeychainError) in
            try engine.write { (writer) throws(KeychainError) in
                guard let slot = engine.device.keybag.passcodeSlot else { return nil }
                var record = try writer.deviceRecord()
                let seconds = AttemptDelay.remaining(record, now)
                guard seconds <= 0 else {
                    throw KeychainError(DeviceError.attemptTooSoon(secondsUntilNextAttempt: seconds))
                }
                record.failedAttempts = max(0, record.failedAttempts) &+ 1
                record.lastAttempt = now
                try writer.setDeviceRecord(record)
                return slot
            }
        }
    }

    /// The refusal of a wrong passcode, which may have been the last that was allowed.
    private func refuse() throws(KeychainError) -> KeychainError {
        let now = access.device.hostClock.now
        return try access.withEngine { (engine) throws(KeychainError) in
            let record = try engine.read { (reader) throws(KeychainError) in try reader.deviceRecord() }
            if let limit = record.eraseAfterFailedAttempts, record.failedAttempts >= limit {
                try engine.erase()
                access.device.onEvent(.erased)
                return KeychainError(DeviceError.erased)
            }
            return KeychainError(
                DeviceError.wrongPasscode(
                    failedAttempts: Int(clamping: record.failedAttempts),
                    secondsUntilNextAttempt: AttemptDelay.remaining(record, now)
                )
            )
        }
    }

    private func change(_ body: (inout DeviceRecord) -> Void) throws(KeychainError) {
        try access.withEngine { (engine) throws(KeychainError) in
            try engine.write { (writer) throws(KeychainError) in
                var record = try writer.deviceRecord()
                body(&record)
                try writer.setDeviceRecord(record)
            }
        }
    }
}
