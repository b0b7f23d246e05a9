// SPDX-License-Identifier: Apache-2.0

import Glibc
import KeychainCore
import KeychainEngine
import KeychainHost
import KeychainMacFrontEnd

/// A file-based keychain: a file with a password, which is read and written as a whole, and the engine over its
/// contents (Documentation/Format.md, "Keychain files").
///
/// Thread-safe: commands take turns; a lock does not wait for them.
final class KeychainFile: @unchecked Sendable {
    let path: String
    private let device: DeviceOptions
    private let clock: any KeychainClock
    private let turn = ForkSafeLock()
    private let current = ForkSafeLock()
    // Under `current`.
    private var opened: Opened?
    /// Counts locks: keys unlocked by a command before a lock are not kept after it.
    private var lockCount = 0

    private struct Opened {
        let engine: EmbeddedKeychain
        let mark: AtomicFile.Mark
        let byteCount: Int
    }

    /// A locked keychain with more bytes is not kept in memory: the next command reads it again.
    private static let largestLocked = 1 << 20

    /// Larger than any keychain that can reasonably be rewritten for each change.
    private static let largestFile = 256 << 20

    init(at path: String, _ device: DeviceOptions, _ clock: any KeychainClock) {
        self.clock = clock
        self.path = path
        self.device = device
    }

    /// Carries out a command; a change is durable when it returns.
    func perform(_ action: KeychainFileCommand.Action) throws(KeychainError) -> KeychainReply {
        let takesTurn = action != .lock
        if takesTurn { turn.acquire() }
        defer { if takesTurn { turn.release() } }
        switch action {
        case .create(let password): try create(password)
        case .delete: try delete()
        case .lock:
            lock()
            guard try mark() != nil else { throw .noSuchKeychain }
        case .unlock(let password): try unlock(password)
        case .status: return .fileStatus(try status())
        case .setSettings(let settings):
            try change { (engine) throws(KeychainError) in try FileSettings.set(settings, in: engine) }
        case .changePassword(let old, let new): try changePassword(from: old, to: new)
        case .items: return .fileItems(try FileItems(try keychain()).all())
        case .find(let conditions): return .fileItems(try FileItems(try keychain()).all(conditions))
        case .secret(let item): return .secret(try FileItems(try keychain()).contents(of: item).secret)
        case .access(let item): return .itemAccess(try FileItems(try keychain()).contents(of: item).access)
        case .add(let item, let secret, let access):
            try checkUnlocked()
            return try change { (engine) throws(KeychainError) in
                .fileItems([try FileItems(engine).add(item, secret: secret, access: access)])
            }
        case .update(let item, let changes):
            try checkUnlocked()
            do throws(KeychainError) {
                try change { (engine) throws(KeychainError) in try FileItems(engine).update(item, changes) }
            } catch {
                guard error.kind == .keys(.damagedItem), let secret = changes.secret, let access = changes.access
                else { throw error }
                try change(inSteps: true) { (engine) throws(KeychainError) in
                    try FileItems(engine).remake(
                        item,
                        attributes: changes.attributes,
                        secret: secret,
                        access: access,
                        after: error
                    )
                }
            }
        case .setPartitions(let partitions, let item, let password):
            try check(password)
            try change { (engine) throws(KeychainError) in try FileItems(engine).setPartitions(partitions, of: item) }
        case .remove(let item):
            try checkUnlocked()
            try change { (engine) throws(KeychainError) in try FileItems(engine).remove(item) }
        case .details: return .fileDetails(try details())
        case .setLabel(let label):
            try checkUnlocked()
            try change { (engine) throws(KeychainError) in try FileSettings.setLabel(label, in: engine) }
        case .lookup(let operation):
            if operation.changesNothing { return try FileItems(try keychain()).perform(operation) }
            try checkUnlocked()
            return try change { (engine) throws(KeychainError) in try FileItems(engine).perform(operation) }
        }
        return .done
    }

    /// Whether it holds unlocked keys; never waits, and does not count as a use of the keychain.
    var holdsKeys: Bool {
        guard let opened = currentlyOpened else { return false }
        guard opened.engine.isUnlocked else {
            // It has locked by itself.
            if !isKept(opened) { discard(opened) }
            return false
        }
        return true
    }

    /// Locks it if its file was removed, which leaves nothing to unlock; one that was replaced is noticed by the next
    /// command.
    ///
    /// Waits for its file system.
    func lockIfRemoved() { if (try? AtomicFile.mark(path)) == nil { lock() } }

    /// Locks the keychain, regardless of the state of its file; a command in progress finishes with the keys that it
    /// has.
    func lock() {
        current.acquire()
        let engine = opened?.engine
        opened = nil
        lockCount += 1
        current.release()
        engine?.device.lockThisProcess()
    }

    /// Locks the keychain if it is unlocked and its settings require that when the host goes to sleep.
    func hostWillSleep() {
        guard let engine = currentlyOpened?.engine, engine.isUnlocked else { return }
        if (try? FileSettings.of(engine).locksOnSleep) ?? true { lock() }
    }

    /// The number of the file system of its file, as of the last command; 0 if nothing is kept of it.
    var fileSystem: UInt64 { currentlyOpened?.mark.fileSystem ?? 0 }

    /// The size of the contents in memory.
    var keptByteCount: Int { currentlyOpened?.byteCount ?? 0 }

    private var currentlyOpened: Opened? {
        current.acquire()
        defer { current.release() }
        return opened
    }

    private var locks: Int {
        current.acquire()
        defer { current.release() }
        return lockCount
    }

    /// Takes what a command opened or wrote, unless the keychain was locked since the command began, or is locked and
    /// large.
    private func cache(_ opened: Opened?, since count: Int) {
        let kept = opened.flatMap { isKept($0) ? $0 : nil }
        current.acquire()
        defer { current.release() }
        self.opened = count == lockCount ? kept : nil
    }

    private func discard(_ discarded: Opened) {
        current.acquire()
        defer { current.release() }
        if opened?.engine === discarded.engine { opened = nil }
    }

    /// Whether contents stay in memory after a command.
    private func isKept(_ opened: Opened) -> Bool {
        opened.byteCount <= Self.largestLocked || opened.engine.isUnlocked
    }

    // MARK: - The file

    private func create(_ password: SecretBytes) throws(KeychainError) {
        guard try mark() == nil else { throw .duplicateKeychain }
        guard !KeychainLocation.isInOwnFolder(path) else {
            throw KeychainError(
                keychainFile: .unusablePath(path, "it is in the folder of the user's keychain; name another place")
            )
        }
        let count = locks
        let engine = EmbeddedKeychain.newFile(password: password, device: device, clock: clock)
        try FileSettings.set(KeychainFileSettings(), in: engine)
        let image = try engine.image()
        let mark: AtomicFile.Mark
        do throws(FileError) {
            try AtomicFile.makeFolders(above: path)
            mark = try AtomicFile.create(path, image)
        } catch {
            if case .taken = error { throw .duplicateKeychain }
            throw KeychainError(keychainFile: error)
        }
        cache(Opened(engine: engine, mark: mark, byteCount: image.count), since: count)
    }

    /// Removes the file, if it is a keychain.
    private func delete() throws(KeychainError) {
        _ = try keychain()
        lock()
        guard unlink(path) == 0 else {
            throw KeychainError(keychainFile: .system(call: "unlink", path: path, errno: errno))
        }
    }

    private func mark() throws(KeychainError) -> AtomicFile.Mark? {
        do throws(FileError) { return try AtomicFile.mark(path) } catch { throw KeychainError(keychainFile: error) }
    }

    /// Reads the file as it is now: locked, or with the keys that another state of it has unlocked.
    private func read(keepingKeysOf unlocked: EmbeddedKeychain? = nil) throws(KeychainError) -> Opened {
        let contents: (bytes: [UInt8], mark: AtomicFile.Mark)?
        do throws(FileError) {
            contents = try AtomicFile.read(path, limit: Self.largestFile)
        } catch {
            throw KeychainError(keychainFile: error)
        }
        guard let contents else { throw .noSuchKeychain }
        let engine =
            unlocked?.reopened(image: contents.bytes)
            ?? EmbeddedKeychain.file(image: contents.bytes, device: device, clock: clock)
        do throws(KeychainError) {
            _ = try engine.device.status()
        } catch {
            guard error.status != .allocate else { throw error }
            throw KeychainError(
                .invalidKeychain,
                "the keychain file cannot be opened: \(error.reason)",
                kind: error.kind
            )
        }
        return Opened(engine: engine, mark: contents.mark, byteCount: contents.bytes.count)
    }

    /// The engine over the current contents of the file.
    private func keychain() throws(KeychainError) -> EmbeddedKeychain { try openedKeychain().engine }

    private func openedKeychain() throws(KeychainError) -> Opened {
        let count = locks
        if let opened = currentlyOpened, isKept(opened), try mark() == opened.mark { return opened }
        // Another file replaced it, and the unlocked keys of the old one are discarded.
        let read = try read()
        cache(read, since: count)
        return read
    }

    /// Makes a change, and writes the file.
    ///
    /// If it cannot be written, nothing has changed. The same applies if one step of a change fails: earlier steps must
    /// not get into the file with a later change.
    private func change<Result>(
        inSteps: Bool = false,
        _ body: (EmbeddedKeychain) throws(KeychainError) -> Result
    ) throws(KeychainError) -> Result {
        let count = locks
        let before = try openedKeychain()
        let result: Result
        do throws(KeychainError) {
            result = try body(before.engine)
        } catch {
            if inSteps { takeBackChange(of: before, since: count) }
            throw error
        }
        do throws(KeychainError) {
            try write(before.engine, replacing: before.mark, since: count)
        } catch {
            takeBackChange(of: before, since: count)
            throw error
        }
        return result
    }

    /// Has the contents of the file again, which are what they were before a change, and as unlocked; if it cannot be
    /// read either, or is another one by now, the keychain is locked.
    private func takeBackChange(of changed: Opened, since count: Int) {
        var former: Opened?
        if let read = try? read(keepingKeysOf: changed.engine), read.mark == changed.mark {
            let isReady = !read.engine.isUnlocked || (try? FileSettings.apply(to: read.engine)) != nil
            if isReady { former = read }
        }
        cache(former, since: count)
    }

    private func write(
        _ engine: EmbeddedKeychain,
        replacing mark: AtomicFile.Mark,
        since count: Int
    ) throws(KeychainError) {
        let image = try engine.image()
        guard image.count <= Self.largestFile else {
            throw KeychainError(.diskFull, "the keychain file would be too large", kind: .storage(.full))
        }
        let written: AtomicFile.Mark?
        do throws(FileError) {
            written = try AtomicFile.replace(path, mark, with: image)
        } catch {
            throw KeychainError(keychainFile: error)
        }
        guard let written else {
            throw KeychainError(
                .notAvailable,
                "another program replaced the keychain file at the same time, and nothing was changed; try again",
                kind: .storage(.busy)
            )
        }
        cache(Opened(engine: engine, mark: written, byteCount: image.count), since: count)
    }

    // MARK: - Its password

    /// Rejects a change of a locked keychain, even if no key is needed for it: certificates are not sealed under the
    /// password, so that they can be read at any time.
    private func checkUnlocked() throws(KeychainError) {
        guard try !keychain().isUnlocked else { return }
        throw KeychainError(.interactionNotAllowed, "the keychain is locked", kind: .device(.locked))
    }

    private func unlock(_ password: SecretBytes) throws(KeychainError) {
        let count = locks
        let read = try read()
        try Self.reporting { () throws(KeychainError) in try read.engine.device.unlock(passcode: password) }
        try FileSettings.apply(to: read.engine)
        cache(read, since: count)
    }

    /// Checks the password without a change of anything.
    private func check(_ password: SecretBytes) throws(KeychainError) {
        let read = try read()
        try Self.reporting { () throws(KeychainError) in try read.engine.device.unlock(passcode: password) }
    }

    private func changePassword(from old: SecretBytes, to new: SecretBytes) throws(KeychainError) {
        let count = locks
        let read = try read()
        try Self.reporting { () throws(KeychainError) in
            try read.engine.device.changePasscode(from: old, to: new)
        }
        try FileSettings.apply(to: read.engine)
        try write(read.engine, replacing: read.mark, since: count)
    }

    /// Reports a wrong password as macOS does.
    private static func reporting(_ body: () throws(KeychainError) -> Void) throws(KeychainError) {
        do throws(KeychainError) {
            try body()
        } catch {
            guard case .device(.wrongPasscode) = error.kind else { throw error }
            throw KeychainError(.authenticationFailed, "the password of the keychain is wrong", kind: error.kind)
        }
    }

    private func status() throws(KeychainError) -> KeychainFileStatus {
        let engine = try keychain()
        // It locks what has lain idle for too long.
        _ = try engine.device.status()
        let isLocked = !engine.isUnlocked
        return KeychainFileStatus(
            isLocked: isLocked,
            settings: isLocked ? KeychainFileSettings() : try FileSettings.of(engine)
        )
    }

    private func details() throws(KeychainError) -> KeychainFileDetails {
        let engine = try keychain()
        var status = stat()
        guard stat(path, &status) == 0 else { throw .noSuchKeychain }
        let (label, created) = try FileSettings.labelAndCreation(of: engine)
        return KeychainFileDetails(
            isLocked: !engine.isUnlocked,
            label: label,
            created: created,
            modified: Timestamp(
                secondsSinceReferenceDate: Double(status.st_mtim.tv_sec) - Timestamp.referenceDateSince1970
            )
        )
    }
}
