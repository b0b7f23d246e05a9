// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainHost
import KeychainProtection
import KeychainStore

/// Replaces the root key of an embedded keychain's store, in two phases.
///
/// First the next key is stored next to the present one, then one transaction replaces the keybag by one under the next
/// key. If the process is killed at any moment, the store opens with one or the other. Only then the previous key is
/// removed; after a kill, the next process that opens the store does that.
struct RootKeyReplacement {
    private let access: EngineAccess

    init(_ access: EngineAccess) { self.access = access }

    /// The status of the root key; nothing is created.
    func status() throws(KeychainError) -> RootKeyStatus {
        guard try access.hasStore() else { return RootKeyStatus() }
        return try access.withEngine(.observing) { (engine) throws(KeychainError) in
            guard let folder = engine.folder else { return RootKeyStatus() }
            let kind = try engine.presentRootKeyKind()
            return RootKeyStatus(
                kind: kind,
                path: engine.rootKeys.path(of: kind, in: folder),
                replacements: engine.rootKeys.replacements(of: kind),
                isUnsettled: ReplacementMark(folder).isThere || engine.rootKeys.hasNext(in: folder)
            )
        }
    }

    /// Replaces the root key.
    ///
    /// - Parameters:
    ///   - kind: the kind of the new root key; `nil` for the present kind.
    ///   - passcode: the passcode of the device; `nil` where none is set.
    /// - Throws: ``KeychainError``; the store has its previous root key in that case, except for an error of
    ///   ``KeychainError/StorageFailure/doubtfulCommit``.
    func replace(_ kind: RootKeyKind?, passcode: SecretBytes?) throws(KeychainError) {
        guard !access.isInMemory else { throw .noRootKeyToReplace }
        guard try access.hasStore() else { throw .noStoreToReplaceRootKeyOf }
        try PasscodeAttempt.withExclusiveAccess(access) { (attempt) throws(KeychainError) in
            let present = try attempt.withEngine(.reading) { (engine) throws(KeychainError) in
                try engine.checkReplacement(kind)
            }
            let unlock = try prove(passcode, attempt)
            // No other process creates the store, or replaces its root key, meanwhile.
            let lock = try Store.lock(present.folder, until: Deadline(milliseconds: access.patienceMilliseconds))
            StoreReplacement.removeRemains(from: present.folder)
            let slot = try replace(present, unlockedBy: unlock, in: attempt)
            _ = consume lock
            if let slot { try? attempt.unlock(with: slot.key) }
        }
    }

    /// The passcode, and the key that it gave; `nil` on a device that has none.
    private func prove(
        _ passcode: SecretBytes?,
        _ attempt: PasscodeAttempt
    ) throws(KeychainError) -> (passcode: SecretBytes, key: SlotKey)? {
        let key = try attempt.prove(passcode, else: .passcodeNeeded)
        guard let passcode, let key else { return nil }
        return (passcode, key)
    }

    /// For the holder of the lock.
    private func replace(
        _ present: PresentRootKey,
        unlockedBy unlock: (passcode: SecretBytes, key: SlotKey)?,
        in attempt: PasscodeAttempt
    ) throws(KeychainError) -> NewPasscodeSlot? {
        let (sources, folder, mark) = (access.device.rootKeys, present.folder, ReplacementMark(present.folder))
        if mark.isThere {
            // Overwriting it would lose the information about what the killed process replaced.
            try attempt.withEngine { (engine) throws(KeychainError) in try engine.settleRootKeyUnderLock(folder) }
        }
        do throws(FileError) { try mark.make(present.kind) } catch { throw KeychainError(error) }
        var next: NextRootKey?
        do throws(KeychainError) {
            let made: NextRootKey
            do throws(RootKeyError) { made = try sources.makeNext(present.nextKind, in: folder) } catch {
                throw KeychainError(error)
            }
            next = made
            let slot = try unlock.map { (unlock) throws(KeychainError) in
                try attempt.derive(unlock.passcode, under: made.key)
            }
            let keybag = try attempt.withEngine(.exclusive) { (engine) throws(KeychainError) in
                let keybag = try engine.replaceRootKey(made.key) { (keybag) throws(ProtectionError) in
                    guard let unlock, let slot else { return try keybag.rewrapped(under: made.key, nil) }
                    return try keybag.rewrapped(under: made.key, (slot, keybag.unlock(with: unlock.key)))
                }
                // Those of other connections have the former key.
                for lane in access.lanes.all where lane.opened.engine !== engine { lane.opened.close() }
                return keybag
            }
            // If that fails, the next process that opens the store does it.
            if (try? sources.settle(keybag, former: present.kind, in: folder)) != nil { mark.remove() }
            return slot
        } catch {
            // If the change may take effect later, the key is kept.
            if error.kind != .storage(.doubtfulCommit) {
                if let next { sources.remove(next, in: folder) }
                mark.remove()
            }
            throw error
        }
    }
}

/// The location of a store's root key, and its replacement.
struct PresentRootKey {
    let kind: RootKeyKind
    let nextKind: RootKeyKind
    let folder: PrivateDirectory
}

extension Engine {
    /// Refuses a kind of root key that the store cannot get here, before a passcode is worked on for nothing.
    fileprivate func checkReplacement(_ wanted: RootKeyKind?) throws(KeychainError) -> PresentRootKey {
        guard let folder else { throw .noRootKeyToReplace }
        let kind = try presentRootKeyKind()
        let nextKind = wanted ?? kind
        guard rootKeys.replacements(of: kind).contains(nextKind) else {
            throw .unservedRootKey(nextKind, present: kind)
        }
        return PresentRootKey(kind: kind, nextKind: nextKind, folder: folder)
    }

    /// The kind of the store's current root key: another process may have replaced the one with which it was opened.
    fileprivate func presentRootKeyKind() throws(KeychainError) -> RootKeyKind {
        try read { (_) throws(KeychainError) in rootKey.kind }
    }

    /// Replaces the keybag by one under another root key, and locks the device for every program.
    ///
    /// - Returns: The bytes of the keybag.
    fileprivate func replaceRootKey(
        _ next: any RootKey,
        _ make: (OpenKeybag) throws(ProtectionError) -> [UInt8]
    ) throws(KeychainError) -> [UInt8] {
        var bytes: [UInt8] = []
        try replaceKeybag(unlockingWith: nil, under: next) { (keybag) throws(ProtectionError) in
            bytes = try make(keybag)
            return bytes
        }
        try? lockMark?.replace()
        return bytes
    }

    /// Puts the root key in place that the keybag is under, and removes the others.
    func settleRootKey() throws(KeychainError) {
        guard let folder else { return }
        let lock = try Store.lock(folder, until: Deadline(milliseconds: 0))
        try settleRootKeyUnderLock(folder)
        _ = consume lock
    }

    /// The same, for the holder of the lock.
    fileprivate func settleRootKeyUnderLock(_ folder: PrivateDirectory) throws(KeychainError) {
        // After another change, no earlier change can take effect any more whose process was killed during the sync.
        let keybag = try write { (writer) throws(KeychainError) in
            var record = try writer.deviceRecord()
            record.keybagRevision &+= 1
            try writer.setDeviceRecord(record)
            return try writer.keybag()
        }
        let mark = ReplacementMark(folder)
        do throws(RootKeyError) { try rootKeys.settle(keybag, former: mark.former, in: folder) } catch {
            throw KeychainError(error)
        }
        mark.remove()
    }
}

extension KeychainError {
    fileprivate static let noRootKeyToReplace = KeychainError(
        .notAvailable,
        "a keychain in memory has no root key that is kept",
        kind: .keys(.unsupportedRootKey)
    )

    fileprivate static let noStoreToReplaceRootKeyOf = KeychainError(
        .notAvailable,
        "there is no keychain yet whose root key could be replaced",
        kind: .unavailable
    )

    fileprivate static let passcodeNeeded = KeychainError(
        .authenticationFailed,
        "the root key is replaced only with the passcode that is set, which depends on it"
    )

    fileprivate static func unservedRootKey(_ kind: RootKeyKind, present: RootKeyKind) -> KeychainError {
        KeychainError(
            .notAvailable,
            kind == present
                ? "the root key is \(kind), which has a single key for all stores, so that it cannot be replaced by another one"
                : "this version keeps no root key \(kind); the store keeps the one that it has",
            kind: .keys(.unsupportedRootKey)
        )
    }
}
