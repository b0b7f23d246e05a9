// SPDX-License-Identifier: Apache-2.0

import CKeychainSupport
import KeychainCore
import KeychainHost
import KeychainProtection
import KeychainStore
import Synchronization

/// The keys that this process has unlocked, and how long they remain.
///
/// Only this object holds the keys. The lock mark, the boot and the keybag, which every transaction checks, determine
/// when they are dropped. Thread-safe; used inside the fork gate.
final class DeviceSession: @unchecked Sendable {
    // The following properties are accessed under the mutex only.
    private let mutex = ForkSafeLock()
    private let hostClock: any HostClock
    private let personality: DevicePersonality
    private var unlocked: Unlocked?
    /// The most recently unlocked keys, for a device on which nothing makes keys unavailable.
    private var kept: Unlocked?
    private var unlockNumber: UInt64 = 0
    private var lastUse: HostTime
    private var policy = DevicePolicy()
    /// The file that the path of the store leads to, as far as it was looked at; `nil` for a store in memory.
    private var file: FileIdentity?
    /// The newest record of ``file`` that was seen: calls side by side can see an older one later.
    private var newest: (storeIdentifier: Bytes16, revision: Int64)?
    private let watch = IdlenessWatch()
    /// Whether the keys have changed since observers were told.
    private var haveKeysChanged = false

    /// Who is told that the device may have been locked or unlocked, in the turn of the call.
    let observers = Observers<Void>()

    /// Counts unlocks of what was locked before, in all keychains of the process.
    private static let unlockCount = Atomic<UInt64>(0)

    private struct Unlocked {
        var keys: UnlockedKeys
        var storeIdentifier: Bytes16
        var passcodeGeneration: UInt32
        /// `nil` for a keychain in memory, which no other process can lock.
        var mark: LockMark.Value?
        var bootIdentifier: String
        var forkGeneration: UInt64

        /// Whether the device was not locked since another unlock, as far as this is known.
        func continues(_ other: Unlocked?) -> Bool {
            guard let other, !other.keys.isLocked else { return false }
            return other.storeIdentifier == storeIdentifier && other.passcodeGeneration == passcodeGeneration
                && other.mark == mark && other.bootIdentifier == bootIdentifier
                && other.forkGeneration == forkGeneration
        }
    }

    init(_ hostClock: any HostClock, _ personality: DevicePersonality) {
        self.hostClock = hostClock
        self.personality = personality
        lastUse = hostClock.now
    }

    /// Which boot of the host this is.
    var bootIdentifier: String { hostClock.now.bootIdentifier }

    /// Restarts the time until the automatic lock: a call has used an item, or the device.
    func noteUse() { withExclusiveAccess { lastUse = hostClock.now } }

    /// Makes the file of a store the current one, if it is still at its path; calls that still read another file no
    /// longer count.
    ///
    /// The check and the change are atomic, so that of two concurrent calls the one that found another file at the path
    /// is the later.
    ///
    /// - Returns: Whether it is still at its path.
    @discardableResult
    func adoptFile(of store: Store) -> Bool {
        withExclusiveAccess {
            let isCurrent = store.isCurrent
            if isCurrent, file != store.file { (file, newest) = (store.file, nil) }
            // The file that is found at the path next can be older.
            if !isCurrent, file == store.file { (file, newest) = (nil, nil) }
            return isCurrent
        }
    }

    /// The keys that a transaction may use, given the state of the device in the store.
    ///
    /// - Parameters:
    ///   - device: what the transaction reads of the device.
    ///   - mark: the lock mark; it is read only while there is something to lock.
    /// - Returns: The keys; `nil` before the first unlock, and without a passcode.
    func keys(of device: StoredDevice, _ mark: LockMark?) -> UnlockedKeys? {
        withExclusiveAccess {
            let unlocked = unlockedKeys(of: device, mark)
            guard !personality.enforcesProtection else { return unlocked }
            guard let kept, kept.forkGeneration == keychain_fork_generation() else { return nil }
            return kept.keys
        }
    }

    private func unlockedKeys(of device: StoredDevice, _ mark: LockMark?) -> UnlockedKeys? {
        let keybag = device.keybag
        let isNewest = adoptPolicy(of: device)
        // Locked memory is empty in a forked child.
        guard let held = unlocked, hostClock.now.bootIdentifier == held.bootIdentifier,
            keychain_fork_generation() == held.forkGeneration
        else {
            forget()
            return nil
        }
        if let mark, !held.keys.isLocked, mark.read() != held.mark { drop() }
        guard keybag.passcodeSlot != nil, keybag.storeIdentifier == held.storeIdentifier,
            keybag.passcodeGeneration == held.passcodeGeneration
        else {
            if isNewest { forget() }
            return nil
        }
        return unlocked?.keys
    }

    /// Stores the keys that a passcode unlocked.
    ///
    /// - Parameters:
    ///   - keys: the unlocked keys.
    ///   - device: the state of the device, with the keybag to which they belong.
    ///   - mark: the lock mark as read before the unlock; `nil` for a keychain in memory.
    func install(_ keys: UnlockedKeys, of device: StoredDevice, _ mark: LockMark.Value?) {
        withExclusiveAccess {
            let now = hostClock.now
            let installed = Unlocked(
                keys: keys,
                storeIdentifier: device.keybag.storeIdentifier,
                passcodeGeneration: device.keybag.passcodeGeneration,
                mark: mark,
                bootIdentifier: now.bootIdentifier,
                forkGeneration: keychain_fork_generation()
            )
            if !installed.continues(unlocked) {
                unlockNumber = Self.unlockCount.add(1, ordering: .relaxed).newValue
            }
            unlocked = installed
            haveKeysChanged = true
            if !personality.enforcesProtection { kept = unlocked }
            adoptPolicy(of: device)
            lastUse = now
        }
    }

    /// Adopts the policy of a record, unless a newer one was seen, or another file has replaced the store meanwhile.
    ///
    /// - Returns: Whether this is the newest.
    @discardableResult
    private func adoptPolicy(of device: StoredDevice) -> Bool {
        guard device.file == file else { return false }
        let (storeIdentifier, revision) = (device.keybag.storeIdentifier, device.record.keybagRevision)
        if let newest, newest.storeIdentifier == storeIdentifier, newest.revision > revision { return false }
        newest = (storeIdentifier, revision)
        policy = DevicePolicy(device.record)
        return true
    }

    /// Takes in a record that was just written; a shorter time until the lock begins now.
    func recordWritten(_ device: StoredDevice) {
        withExclusiveAccess {
            adoptPolicy(of: device)
            lastUse = hostClock.now
        }
    }

    /// Takes over what another session has unlocked of the same keychain; a later lock of that one does not reach it.
    func takeKeys(of other: DeviceSession) {
        let (taken, number) = other.withExclusiveAccess { (other.unlocked, other.unlockNumber) }
        withExclusiveAccess {
            (unlocked, unlockNumber) = (taken, number)
            haveKeysChanged = true
        }
    }

    /// Drops the keys that do not outlive a lock.
    func lock() { withExclusiveAccess { drop() } }

    /// Drops every key.
    func clear() {
        withExclusiveAccess {
            unlocked = nil
            // Also where there were none: a locked device without a passcode any longer is not locked.
            haveKeysChanged = true
        }
    }

    /// The lock state of a device with a passcode in this process.
    var lockState: LockState {
        withExclusiveAccess {
            guard let keys = unlocked?.keys else { return .beforeFirstUnlock }
            return keys.isLocked ? .locked : .unlocked
        }
    }

    /// A number for the current unlock, which changes with each lock and each change of the passcode; `nil` while
    /// nothing is unlocked.
    ///
    /// Transactions detect locks by other processes.
    var currentUnlock: UInt64? {
        withExclusiveAccess {
            guard let keys = unlocked?.keys, !keys.isLocked else { return nil }
            return unlockNumber
        }
    }

    /// Ensures that the keys are dropped in time, even without further calls.
    ///
    /// - Parameter lockIfIdle: locks an idle device, and returns the number of seconds until the next check; `nil` for
    ///   never.
    func watchIdleness(_ lockIfIdle: @escaping @Sendable () -> Double?) {
        withExclusiveAccess {
            guard let seconds = secondsUntilIdle else { return }
            watch.start(after: seconds, lockIfIdle)
        }
    }

    /// Locks the device if it has been idle for as long as the policy says; also before each call.
    ///
    /// - Returns: The number of seconds until the next check; `nil` if there is nothing to lock.
    @discardableResult
    func lockIfIdle() -> Double? { withExclusiveAccess { dropIfIdle() } }

    private func drop() {
        guard let keys = unlocked?.keys, !keys.isLocked else { return }
        unlocked?.keys = keys.locked()
        haveKeysChanged = true
    }

    private func forget() {
        guard unlocked != nil else { return }
        unlocked = nil
        haveKeysChanged = true
    }

    @discardableResult
    private func dropIfIdle() -> Double? {
        guard let seconds = secondsUntilIdle else { return nil }
        if seconds > 0 { return seconds }
        drop()
        return nil
    }

    /// The number of seconds until the keys have been idle for too long; `nil` if there are none or there is no limit.
    private var secondsUntilIdle: Double? {
        guard let limit = policy.autoLockAfterSeconds, let keys = unlocked?.keys, !keys.isLocked else { return nil }
        let now = hostClock.now
        guard now.bootIdentifier == lastUse.bootIdentifier else { return 0 }
        return lastUse.secondsSinceBoot + Double(limit) - now.secondsSinceBoot
    }

    private func withExclusiveAccess<Result>(_ body: () -> Result) -> Result {
        mutex.acquire()
        let result = body()
        let haveChanged = haveKeysChanged
        haveKeysChanged = false
        mutex.release()
        if haveChanged { observers.tell(()) }
        return result
    }
}

/// The device as a transaction reads it from a store.
struct StoredDevice {
    let keybag: OpenKeybag
    let record: DeviceRecord
    /// The file of the store; `nil` for a store in memory.
    let file: FileIdentity?
}

extension DevicePolicy {
    init(_ record: DeviceRecord) {
        self.init(
            autoLockAfterSeconds: record.autoLockAfterSeconds.map { Int(clamping: $0) },
            eraseAfterFailedAttempts: record.eraseAfterFailedAttempts.map { Int(clamping: $0) }
        )
    }
}

/// The kind of device that a keychain simulates, where kinds differ in what they enforce.
package enum DevicePersonality: Sendable, Hashable {
    /// A device.
    case device
    /// The iOS simulator: it has no key store, so that no state of the device makes keys unavailable, and access
    /// controls are not evaluated (Semantics, "Access control"; `TARGET_HAS_KEYSTORE` in Apple's sources).
    case simulator
    /// A file-based keychain: its password takes the place of a passcode, and may be empty.
    case keychainFile

    /// Whether a lock and a reboot make keys unavailable.
    var enforcesProtection: Bool { self != .simulator }

    /// Whether access controls protect items.
    var enforcesAccessControl: Bool { self == .device }
}
