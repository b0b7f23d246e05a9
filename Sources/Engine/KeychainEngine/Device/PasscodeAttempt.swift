// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainHost
import KeychainProtection
import KeychainStore

/// One attempt with a passcode: attempts are serialized over all processes, and counted before verification.
///
/// A process that is killed during an attempt therefore delays the next one as if the passcode had been wrong. Only
/// passcodes that were found wrong count for the erasure.
struct PasscodeAttempt {
    private let access: EngineAccess
    private let deadline: Deadline

    private static let lockName = "attempt.lock"

    /// How long to wait for the tries of others.
    private static let lockTimeoutMilliseconds: Int32 = 30_000

    /// How long to wait at least for the store, after others had their tries.
    private static let minimumPatienceMilliseconds: Int32 = 500

    /// Runs `body` while no other attempt on the keychain is in progress.
    static func withExclusiveAccess<Result>(
        _ access: EngineAccess,
        _ body: (PasscodeAttempt) throws(KeychainError) -> Result
    ) throws(KeychainError) -> Result {
        let attempt = PasscodeAttempt(
            access: access,
            deadline: Deadline(milliseconds: access.patienceMilliseconds)
        )
        guard let folder = try attempt.withEngine(.preparing, { (engine) throws(KeychainError) in engine.folder })
        else {
            access.attempts.acquire()
            defer { access.attempts.release() }
            return try body(attempt)
        }
        let lock = try lock(folder)
        let result = try body(attempt)
        _ = consume lock
        return result
    }

    /// The lock that keeps others from an attempt.
    static func lock(_ folder: PrivateDirectory) throws(KeychainError) -> FileLock {
        do {
            return try FileLock(lockName, in: folder, until: Deadline(milliseconds: lockTimeoutMilliseconds))
        } catch {
            throw KeychainError(error)
        }
    }

    /// Runs `body` on an engine; the time limit for waiting for the store applies to the attempt as a whole, with a
    /// small allowance for each step.
    ///
    /// A wrong passcode does not defer the automatic lock; a right one restarts its time with the keys.
    func withEngine<Result>(
        _ use: EngineAccess.Use = .changing,
        _ body: (Engine) throws(KeychainError) -> Result
    ) throws(KeychainError) -> Result {
        let minimum = min(access.patienceMilliseconds, Self.minimumPatienceMilliseconds)
        return try access.withEngine(
            use,
            until: deadline.extended(milliseconds: minimum),
            countingIf: { _ in false },
            body
        )
    }

    /// The slot that a passcode opens; `nil` when none is set.
    func slot() throws(KeychainError) -> PasscodeSlot? {
        try withEngine(.reading) { (engine) throws(KeychainError) in
            try engine.read { (_) throws(KeychainError) in engine.device.keybag.passcodeSlot }
        }
    }

    /// The key that a passcode unlocks; `nil` on a device without a passcode.
    ///
    /// - Throws: A ``DeviceError`` if it is wrong or too early.
    func check(_ passcode: SecretBytes) throws(KeychainError) -> SlotKey? {
        guard let (slot, rootKey) = try count() else { return nil }
        let opened: SlotKey?
        do throws(KeychainError) {
            opened = try access.derivations.derive { () throws(ProtectionError) in
                try slot.open(passcode, rootKey: rootKey)
            }
        } catch {
            // It was never verified, for example because of insufficient memory.
            try change { $0.interruptedAttempts = max(0, $0.interruptedAttempts - 1) }
            throw error
        }
        guard let key = opened else { throw try refuse() }
        try change { $0.clearAttempts() }
        access.device.onEvent(.passcodeAccepted)
        return key
    }

    /// The key of the passcode, for a change that takes it; `nil` on a device that has none.
    ///
    /// - Throws: As ``check(_:)``; `refusal` for no passcode on a device that has one.
    func prove(_ passcode: SecretBytes?, else refusal: KeychainError) throws(KeychainError) -> SlotKey? {
        guard let passcode else {
            guard try slot() == nil else { throw refusal }
            return nil
        }
        guard let key = try check(passcode) else { throw KeychainError(DeviceError.noPasscode) }
        return key
    }

    /// Takes into this process what the passcode slot's key opens.
    func unlock(with key: SlotKey) throws(KeychainError) {
        try withEngine(.reading) { (engine) throws(KeychainError) in
            let mark = try engine.lockMark?.readOrMake()
            let (keys, stored) = try engine.read { (reader) throws(KeychainError) in
                let record = try reader.deviceRecord()
                let keybag = engine.device.keybag
                do throws(ProtectionError) {
                    return (try keybag.unlock(with: key), engine.stored(keybag, record))
                } catch {
                    throw KeychainError(error)
                }
            }
            engine.session.install(keys, of: stored, mark)
            try? engine.resealFormerRows()
            try? engine.listLookupsIfDue()
        }
    }

    /// The slow part of setting a passcode.
    ///
    /// - Parameters:
    ///   - passcode: the passcode.
    ///   - newRootKey: the root key that wraps the slot; `nil` for the present one.
    /// - Returns: The slot.
    /// - Throws: ``KeychainError``.
    func derive(
        _ passcode: SecretBytes,
        under newRootKey: (any RootKey)? = nil
    ) throws(KeychainError) -> NewPasscodeSlot {
        let (rootKey, store) = try access.withEngine { (engine) throws(KeychainError) in
            try engine.read { (_) throws(KeychainError) in (engine.rootKey, engine.device.keybag.storeIdentifier) }
        }
        return try access.derivations.derive { () throws(ProtectionError) in
            try NewPasscodeSlot(passcode, access.device.passwordWork, rootKey: newRootKey ?? rootKey, for: store)
        }
    }

    /// The quick half of setting, changing or removing a passcode.
    func replaceKeybag(
        unlockingWith key: SlotKey?,
        _ make: (OpenKeybag) throws(ProtectionError) -> [UInt8]
    ) throws(KeychainError) {
        try withEngine(.exclusive) { (engine) throws(KeychainError) in
            if let folder = engine.folder { StoreReplacement.removeRemains(from: folder, until: lockDeadline) }
            try engine.replaceKeybag(unlockingWith: key, make)
        }
    }

    /// How long to wait for the lock of the store at most: what it takes is short, but for a repair.
    private var lockDeadline: Deadline {
        Deadline(milliseconds: min(access.patienceMilliseconds, Self.minimumPatienceMilliseconds))
    }

    /// Counts an attempt as interrupted, before verification.
    ///
    /// - Returns: The slot, and the root key that wraps it, from one transaction, because another process may replace
    ///   the root key.
    func count() throws(KeychainError) -> (slot: PasscodeSlot, rootKey: any RootKey)? {
        let now = access.device.hostClock.now
        let limit = access.device.attemptLimit()
        return try withEngine { (engine) throws(KeychainError) in
            try engine.write { (writer) throws(KeychainError) in
                guard let slot = engine.device.keybag.passcodeSlot else { return nil }
                var record = try writer.deviceRecord()
                let seconds = AttemptDelay.remaining(record, now)
                guard seconds <= 0 else {
                    throw KeychainError(DeviceError.attemptTooSoon(secondsUntilNextAttempt: seconds))
                }
                if let limit { try Self.check(record, limit) }
                record.interruptedAttempts = max(0, record.interruptedAttempts) &+ 1
                record.lastAttempt = now
                try writer.setDeviceRecord(record)
                return (slot, engine.rootKey)
            }
        }
    }

    /// Refuses an attempt of a program that must not cause a delay or an erasure.
    private static func check(_ record: DeviceRecord, _ limit: Int) throws(KeychainError) {
        let wrong = max(0, record.failedAttempts) + max(0, record.interruptedAttempts)
        // One attempt is left to the owner before everything is erased.
        let allowed = min(Int64(limit), (record.eraseAfterFailedAttempts ?? .max) - 1)
        guard wrong < allowed else {
            throw KeychainError(
                .authenticationFailed,
                "too many wrong passcodes were entered; enter the correct one outside of a sandbox "
                    + "('keychainctl device unlock')"
            )
        }
    }

    /// Counts an attempt as wrong, and returns the error; it may have been the last permitted one.
    private func refuse() throws(KeychainError) -> KeychainError {
        let record = try change {
            $0.interruptedAttempts = max(0, $0.interruptedAttempts - 1)
            $0.failedAttempts = max(0, $0.failedAttempts) &+ 1
        }
        if let limit = record.eraseAfterFailedAttempts, record.failedAttempts >= limit {
            try withEngine(.exclusive) { (engine) throws(KeychainError) in try engine.erase() }
            removeRemains()
            access.device.onEvent(.erased)
            return KeychainError(DeviceError.erased)
        }
        return KeychainError(
            DeviceError.wrongPasscode(
                failedAttempts: Int(clamping: record.failedAttempts),
                secondsUntilNextAttempt: AttemptDelay.remaining(record, access.device.hostClock.now)
            )
        )
    }

    /// Removes what earlier stores left, once everything was erased; without the lock, the next erasure does.
    private func removeRemains() {
        guard case .folder(let location, _) = access.source else { return }
        do {
            let folder = try PrivateDirectory(location)
            let lock = try Store.lock(folder, until: lockDeadline)
            StoreRemains(in: folder, location).remove()
            _ = consume lock
        } catch {}
    }

    @discardableResult
    private func change(_ body: (inout DeviceRecord) -> Void) throws(KeychainError) -> DeviceRecord {
        try withEngine { (engine) throws(KeychainError) in
            try engine.write { (writer) throws(KeychainError) in
                var record = try writer.deviceRecord()
                body(&record)
                try writer.setDeviceRecord(record)
                return record
            }
        }
    }
}
