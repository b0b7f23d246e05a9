// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainHost
import KeychainProtection
import KeychainStore

/// The store of an embedded keychain without its keys: to recover it, or to erase it, also where the root key is lost.
///
/// No passcode is tried, no root key is replaced and no store is made by anyone else meanwhile.
struct KeylessStore {
    let access: EngineAccess

    /// Where the store lies; `nil` for one in memory.
    let folder: PrivateDirectory?

    /// Runs `body` on the store of a keychain; `nil` if there is none.
    static func withExclusiveAccess<Result>(
        _ access: EngineAccess,
        _ body: (KeylessStore) throws(KeychainError) -> Result
    ) throws(KeychainError) -> Result? {
        guard case .folder(let location, _) = access.source else {
            access.attempts.acquire()
            defer { access.attempts.release() }
            return try body(KeylessStore(access: access, folder: nil))
        }
        guard try access.hasStore() else { return nil }
        let folder: PrivateDirectory
        do { folder = try PrivateDirectory(location) } catch { throw KeychainError(error) }
        let attempts = try PasscodeAttempt.lock(folder)
        let setup = try Store.lock(folder, until: Deadline(milliseconds: access.patienceMilliseconds))
        let result = try body(KeylessStore(access: access, folder: folder))
        _ = consume setup
        _ = consume attempts
        return result
    }

    func read<Result>(_ body: (RowReader) throws(KeychainError) -> Result) throws(KeychainError) -> Result {
        try withStore { (store) throws(KeychainError) in try store.read(body) }
    }

    func write<Result>(_ body: (RowWriter) throws(KeychainError) -> Result) throws(KeychainError) -> Result {
        try withStore { (store) throws(KeychainError) in try store.write(body) }
    }

    /// Runs `body` on the store, which this process does not use otherwise meanwhile; waits for other processes.
    private func withStore<Result>(_ body: (Store) throws(KeychainError) -> Result) throws(KeychainError) -> Result {
        guard case .folder(_, let options) = access.source, let folder else {
            return try access.withEngine(.exclusive) { (engine) throws(KeychainError) in try body(engine.store) }
        }
        var pauses = Deadline.Pauses(until: Deadline(milliseconds: access.patienceMilliseconds))
        while true {
            do throws(KeychainError) {
                return try access.whileClosed { () throws(KeychainError) in
                    let store = try Store.open(in: folder, options: options) { () throws(KeychainError) in
                        throw .noStore
                    }
                    defer { store.finish() }
                    return try body(store)
                }
            } catch {
                guard error.isBusy, pauses.wait() else { throw error }
            }
        }
    }
}

// MARK: - The keybag and the root key

extension KeylessStore {
    /// The bytes of the keybag.
    ///
    /// - Throws: Among others, ``KeychainError/Kind/foreignOwner(_:)`` for the store of another owner.
    func keybag() throws(KeychainError) -> [UInt8] {
        let bytes = try read { (reader) throws(KeychainError) in try reader.keybag() }
        try protecting { () throws(ProtectionError) in try KeybagSummary(bytes).check(access.device.owner) }
        return bytes
    }

    /// The root key that a keybag is under.
    ///
    /// - Returns: `nil` if it is lost.
    func rootKey(of keybag: [UInt8]) throws(KeychainError) -> (any RootKey)? {
        guard let folder else {
            return try access.withEngine { (engine) throws(KeychainError) in engine.rootKey }
        }
        let (sources, owner) = (access.device.rootKeys, access.device.owner)
        guard let key = try? sources.rootKey(of: keybag, in: folder, owner: owner),
            let summary = try? KeybagSummary(keybag), summary.isUnder(key)
        else { return nil }
        return key
    }

    /// Replaces the keybag, and the root key with it unless that stays.
    ///
    /// If the process is killed, the store has one keybag or the other, and the root key for it.
    ///
    /// - Parameters:
    ///   - present: the keybag that is replaced.
    ///   - rootKey: the root key that stays; `nil` for a new one.
    ///   - prepare: makes what a change takes, outside of every transaction.
    ///   - change: makes the keybag, and changes rows, in the transaction.
    /// - Returns: What was prepared.
    /// - Throws: ``KeychainError``; nothing has changed in that case, except for an error of
    ///   ``KeychainError/StorageFailure/doubtfulCommit``.
    func replaceKeybag<Prepared>(
        _ present: [UInt8],
        under rootKey: (any RootKey)?,
        prepare: (any RootKey) throws(KeychainError) -> Prepared,
        change: (RowWriter, any RootKey, Prepared) throws(KeychainError) -> [UInt8]
    ) throws(KeychainError) -> Prepared {
        let next = try rootKey == nil ? makeNext(present) : nil
        guard let key = rootKey ?? next?.key else { preconditionFailure("a store in memory has its root key") }
        if let folder { StoreReplacement.removeRemains(from: folder) }
        do throws(KeychainError) {
            let prepared = try prepare(key)
            let bytes = try write { (writer) throws(KeychainError) in
                // A move to another owner takes neither of the locks.
                guard try writer.keybag() == present else { throw KeychainError(ProtectionError.otherSlot) }
                let bytes = try change(writer, key, prepared)
                try writer.replaceKeybag(bytes)
                return bytes
            }
            if next != nil { settle(bytes) }
            end()
            return prepared
        } catch {
            // If the change may take effect later, the key is kept.
            if let next, let folder, error.kind != .storage(.doubtfulCommit) {
                access.device.rootKeys.remove(next, in: folder)
                if !access.device.rootKeys.hasNext(in: folder) { ReplacementMark(folder).remove() }
            }
            throw error
        }
    }

    /// Keeps a root key for the next keybag: of the kind of the present one, or of one that can be had.
    private func makeNext(_ keybag: [UInt8]) throws(KeychainError) -> NextRootKey? {
        guard let folder else { return nil }
        let sources = access.device.rootKeys
        let kind = (try? KeybagSummary(keybag).rootKeyKind) ?? .software
        let mark = ReplacementMark(folder)
        if mark.isThere, (try? sources.settle(keybag, former: mark.former, in: folder)) != nil { mark.remove() }
        if !mark.isThere {
            do throws(FileError) { try mark.make(kind) } catch { throw KeychainError(error) }
        }
        var failure = RootKeyError.protection(.unsupportedRootKey(kind))
        for kind in [kind] + sources.replacements(of: kind) {
            do throws(RootKeyError) {
                let next = try sources.makeNext(kind, in: folder)
                if kind == .software { setOtherRootKeyAside(keybag) }
                return next
            } catch {
                failure = error
            }
        }
        throw KeychainError(failure)
    }

    /// Keeps a root key that somebody put in the place of the store's, and that is another store's.
    private func setOtherRootKeyAside(_ keybag: [UInt8]) {
        guard let folder, let inPlace = try? RootKeyFile().rootKey(for: folder),
            (try? KeybagSummary(keybag).isUnder(inPlace)) != true
        else { return }
        try? folder.setAside(RootKeyFile.name)
    }

    /// Puts the next root key in place; if that fails, the next program that opens the store does it.
    private func settle(_ keybag: [UInt8]) {
        guard let folder else { return }
        let mark = ReplacementMark(folder)
        let settled: Void? = try? access.device.rootKeys.settle(keybag, former: mark.former, in: folder)
        if settled != nil { mark.remove() }
    }

    /// Locks every program, and empties the log, which has the former keybag.
    private func end() {
        if let folder {
            Handover.withdrawAll(in: folder)
            try? LockMark(folder).replace()
        }
        try? access.withEngine(.exclusive) { (engine) throws(KeychainError) in
            engine.session.clear()
            engine.forgetDevice()
            try? engine.eraseLog()
        }
    }
}
