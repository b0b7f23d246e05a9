// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainProtection

@_implementationOnly import CKeychainSupport

/// What this process has unlocked, and until when.
///
/// The keys are here alone: the store's record says when they have to go (the lock epoch, the boot), and a process learns
/// of it in its next transaction.
final class DeviceSession: @unchecked Sendable {
    // Touched by the one caller that EngineAccess lets in.
    private let hostClock: any HostClock
    private let personality: DevicePersonality
    private var unlocked: Unlocked?
    /// What was unlocked last, for a device that takes nothing away.
    private var kept: Unlocked?
    private var lastUse: HostTime
    private var policy = DevicePolicy()
    private let watch = IdlenessWatch()

    private struct Unlocked {
        var keys: UnlockedKeys
        var storeIdentifier: Bytes16
        var passcodeGeneration: UInt32
        var epoch: Int64
        var bootIdentifier: String
        var forkGeneration: UInt64
    }

    init(_ hostClock: any HostClock, _ personality: DevicePersonality) {
        self.hostClock = hostClock
        self.personality = personality
        lastUse = hostClock.now
    }

    /// Which boot of the host this is.
    var bootIdentifier: String { hostClock.now.bootIdentifier }

    /// Notes a call, after what has lain idle too long is locked.
    func begin() {
        lockIfIdle()
        lastUse = hostClock.now
    }

    /// The keys that a transaction may use, given what the store says of the device.
    func keys(of keybag: OpenKeybag, _ record: DeviceRecord) -> UnlockedKeys? {
        let unlocked = unlockedKeys(of: keybag, record)
        guard !personality.enforcesProtection else { return unlocked }
        guard let kept, kept.forkGeneration == keychain_fork_generation() else { return nil }
        return kept.keys
    }

    private func unlockedKeys(of keybag: OpenKeybag, _ record: DeviceRecord) -> UnlockedKeys? {
        policy = DevicePolicy(record)
        guard let held = unlocked else { return nil }
        guard keybag.passcodeSlot != nil, keybag.storeIdentifier == held.storeIdentifier,
            keybag.passcodeGeneration == held.passcodeGeneration,
            hostClock.now.bootIdentifier == held.bootIdentifier,
            // Locked memory is empty in a forked child.
            keychain_fork_generation() == held.forkGeneration
        else {
            clear()
            return nil
        }
        if record.lockEpoch != held.epoch { lock() }
        return unlocked?.keys
    }

    /// Takes the keys that a passcode gave.
    func install(_ keys: UnlockedKeys, of keybag: OpenKeybag, _ record: DeviceRecord) {
        let now = hostClock.now
        unlocked = Unlocked(
            keys: keys,
            storeIdentifier: keybag.storeIdentifier,
            passcodeGeneration: keybag.passcodeGeneration,
            epoch: record.lockEpoch,
            bootIdentifier: now.bootIdentifier,
            forkGeneration: keychain_fork_generation()
        )
        if !personality.enforcesProtection { kept = unlocked }
        policy = DevicePolicy(record)
        lastUse = now
    }

    /// Drops the keys that do not outlive a lock.
    func lock() {
        guard let keys = unlocked?.keys, !keys.isLocked else { return }
        unlocked?.keys = keys.locked()
    }

    /// Drops every key.
    func clear() { unlocked = nil }

    /// What the lock state of a device with a passcode is in this process.
    var lockState: LockState {
        guard let keys = unlocked?.keys else { return .beforeFirstUnlock }
        return keys.isLocked ? .locked : .unlocked
    }

    /// Has the keys dropped in time, even if no call comes any more.
    ///
    /// - Parameter lockIfIdle: locks what has lain idle, and says in how many seconds to look again; `nil` for never.
    func watchIdleness(_ lockIfIdle: @escaping @Sendable () -> Double?) {
        guard let seconds = secondsUntilIdle else { return }
        watch.start(after: seconds, lockIfIdle)
    }

    /// Locks when nothing was called for as long as the policy says.
    ///
    /// - Returns: In how many seconds to look again; `nil` when there is nothing to lock.
    @discardableResult
    func lockIfIdle() -> Double? {
        guard let seconds = secondsUntilIdle else { return nil }
        if seconds > 0 { return seconds }
        lock()
        return nil
    }

    /// In how many seconds the keys have lain idle for too long; `nil` when there are none or nothing limits them.
    private var secondsUntilIdle: Double? {
        guard let limit = policy.autoLockAfterSeconds, let keys = unlocked?.keys, !keys.isLocked else { return nil }
        let now = hostClock.now
        guard now.bootIdentifier == lastUse.bootIdentifier else { return 0 }
        return lastUse.secondsSinceBoot + Double(limit) - now.secondsSinceBoot
    }
}

extension DevicePolicy {
    init(_ record: DeviceRecord) {
        self.init(
            autoLockAfterSeconds: record.autoLockAfterSeconds.map { Int(clamping: $0) },
            eraseAfterFailedAttempts: record.eraseAfterFailedAttempts.map { Int(clamping: $0) }
        )
    }
}
