// SPDX-License-Identifier: Apache-2.0

import CKeychainSupport
import KeychainCore
import KeychainHost
import KeychainProtection
import KeychainStore

/// Serializes access to the engines of a keychain, and opens them when needed.
final class EngineAccess: Sendable {
    /// Where the store lies.
    enum Source: Sendable {
        case folder(KeychainLocation, StoreOptions)
        /// In memory, with an initial passcode if one is given, and of at most so many MiB if a number is given.
        case memory(passcode: SecretBytes?, largestMebibytes: Int? = nil)
        /// In memory, with the password of a new keychain file.
        case newFile(password: Once<SecretBytes>)
        /// In memory, as a keychain file has it.
        case file(image: Once<[UInt8]>)
    }

    /// What an engine is needed for.
    ///
    /// If there is no store, read-only uses get an empty one in memory, and nothing is created.
    enum Use: Sendable {
        /// Reading. Damage that it finds is quarantined only if that involves no waiting.
        case reading
        /// Reading that does not count as a use of the device: it does not defer the automatic lock.
        case observing
        /// Reading the keys of a store, which is created if there is none.
        case preparing
        /// Changing the store, which is created if there is none.
        case changing
        /// Changing what is in the store.
        case changingStored
        /// Changing the store while no other thread of this process reads it, for data that must not remain in any
        /// file. It is created if there is none.
        case exclusive

        /// Whether a store is created if there is none.
        var makesStore: Bool {
            switch self {
            case .reading, .observing, .changingStored: false
            case .preparing, .changing, .exclusive: true
            }
        }
    }

    let source: Source
    let device: DeviceOptions

    /// What this process has unlocked; it outlives an engine that is reopened.
    let session: DeviceSession

    /// Held while a passcode is tried, over all threads of a keychain in memory.
    let attempts = ForkSafeLock()

    /// Derives the keys of passcodes and application passwords.
    let derivations: KeyDerivations

    let clock: any KeychainClock
    let random: any RandomSource
    let lanes: Lanes

    /// Changes of items that are made together.
    let changes = ChangeQueue()

    /// The known access groups, for use while items are locked.
    let knownGroups = KnownGroups()

    /// Who is told of changes of items.
    let observers: ItemObservers

    init(to source: Source, device: DeviceOptions, clock: any KeychainClock, random: any RandomSource) {
        self.source = source
        self.device = device
        self.clock = clock
        self.random = random
        derivations = KeyDerivations(device.derivationTurns, for: device.share)
        lanes = if case .folder(_, let options) = source { Lanes(readers: options.readerCount) } else { Lanes() }
        session = DeviceSession(device.hostClock, device.personality)
        observers = ItemObservers(knownGroups)
    }

    /// Whether the store is in memory.
    var isInMemory: Bool {
        if case .folder = source { false } else { true }
    }

    /// How long a call waits for others.
    var patienceMilliseconds: Int32 {
        switch source {
        case .folder(_, let options): options.busyTimeoutMilliseconds
        case .memory, .newFile, .file: StoreOptions().busyTimeoutMilliseconds
        }
    }

    /// Runs `body` on an engine, in a turn.
    ///
    /// If another process holds the store, the turn is given up, and `body` is retried a little later; a failed run
    /// must therefore have no side effects.
    ///
    /// - Parameters:
    ///   - use: what the engine is needed for.
    ///   - deadline: how long to wait in total; `nil` for the timeout of the store's options.
    ///   - isUse: whether a result defers the automatic lock. An error never does, so that a program which asks for
    ///     what is not there does not keep the device unlocked.
    ///   - body: makes at most one change.
    /// - Returns: What `body` returns.
    /// - Throws: The error of `body`, or the reason why there is no engine.
    func withEngine<Result>(
        _ use: Use = .changing,
        until deadline: Deadline? = nil,
        countingIf isUse: (Result) -> Bool = { _ in true },
        _ body: (Engine) throws(KeychainError) -> Result
    ) throws(KeychainError) -> Result {
        let deadline = deadline ?? Deadline(milliseconds: patienceMilliseconds)
        var pauses = Deadline.Pauses(until: deadline)
        var refusedKeybag: [UInt8]?
        while true {
            var hasChanged = false
            var isMissing = false
            var keybag: [UInt8]?
            do throws(KeychainError) {
                return try lanes.withConnections(use, for: device.share(), until: deadline) {
                    (lane) throws(KeychainError) in
                    try StackMemory.wiped { () throws(KeychainError) in
                        session.lockIfIdle()
                        defer { watchIdleness() }
                        lane.opened.keybag = nil
                        defer { keybag = lane.opened.keybag }
                        guard let engine = try currentEngine(lane.opened, makingStore: use.makesStore) else {
                            isMissing = true
                            throw .noStore
                        }
                        let result = try with(engine, of: lane, hasChanged: &hasChanged, body)
                        if use != .observing, isUse(result) { session.noteUse() }
                        return result
                    }
                }
            } catch {
                if isMissing { return try emptyAccess().withEngine(use, until: deadline, body) }
                guard !hasChanged else { throw error }
                if error.mayBeOfReplacedRootKey, case .folder = source {
                    // A store that was moved away and back has another root key, and may have yet another one by now.
                    // Only if it was opened twice with the same keybag is there no matching key.
                    guard let keybag else { continue }
                    guard keybag != refusedKeybag else { throw error }
                    refusedKeybag = keybag
                    continue
                }
                guard error.isBusy, pauses.wait() else { throw error }
            }
        }
    }

    /// An empty keychain in memory, in place of a store that does not exist.
    private func emptyAccess() -> EngineAccess {
        EngineAccess(to: .memory(passcode: nil), device: device, clock: clock, random: random)
    }

    private func with<Result>(
        _ engine: Engine,
        of lane: Lane,
        hasChanged: inout Bool,
        _ body: (Engine) throws(KeychainError) -> Result
    ) throws(KeychainError) -> Result {
        engine.resetChanges()
        defer {
            hasChanged = engine.hasChanged
            engine.forgetDevice()
        }
        // Other hosts wait for it.
        defer { if engine.store.isUnderHostLock { lane.opened.finish() } }
        do throws(KeychainError) {
            return try body(engine)
        } catch {
            // SQLite keeps a store read-only for as long as it is open, even if the file's modes change.
            if error.status == .readOnly || error.mayBeOfReplacedRootKey, case .folder = source {
                lane.opened.close()
            }
            throw error
        }
    }

    /// Prevents items from being changed, or permits it again, from the next call on.
    func setCondition(_ condition: StoreCondition) {
        try? lanes.withConnections(.exclusive) { _ in for lane in lanes.all { lane.opened.condition = condition } }
    }

    /// Runs `body` exclusively, with no file open; a keychain in memory stays as it is.
    func whileClosed<Result>(_ body: () throws(KeychainError) -> Result) throws(KeychainError) -> Result {
        try lanes.withConnections(.exclusive) { (_) throws(KeychainError) in
            if case .folder = source { for lane in lanes.all { lane.opened.close() } }
            return try body()
        }
    }

    /// Drops the keys that a lock makes unavailable, in this process, without opening any file; a call in progress
    /// keeps the ones that it has until it ends.
    func lockSession() {
        // A keychain that is created with a passcode is unlocked by its first call.
        switch source {
        case .memory(passcode: .some, _), .newFile: try? withEngine { _ in }
        case .memory(passcode: nil, _), .folder, .file: break
        }
        try? Turns.none.withTurn { session.lock() }
    }

    /// Waits for the calls under way, but not for long ones.
    func waitForCalls() { lanes.waitForEach(milliseconds: Self.longestWaitForCalls) }

    // A long call, such as a check of the whole store, does not delay a lock.
    private static let longestWaitForCalls: Int32 = 1_000

    /// Whether there is a folder with a store in it; nothing is created.
    ///
    /// - Returns: `false` for a keychain in memory.
    func hasStore() throws(KeychainError) -> Bool {
        guard case .folder(let location, _) = source else { return false }
        let folder: PrivateDirectory?
        do { folder = try PrivateDirectory(existing: location) } catch { throw KeychainError(error) }
        return try folder.map { (folder) throws(KeychainError) in try Store.exists(in: folder) } ?? false
    }

    /// The lock state that this process is in, as far as it is known without opening anything.
    var lockState: LockState { (try? Turns.none.withTurn { session.lockState }) ?? .beforeFirstUnlock }

    /// Has this process lock itself in time, by the device's policy, even if no call comes any more.
    func watchIdleness() {
        session.watchIdleness { [weak self] in
            guard let self else { return nil }
            return (try? Turns.none.withTurn { session.lockIfIdle() }) ?? nil
        }
    }

    deinit {
        // A fork during closing would leave SQLite's own locks held in the child.
        let isClosed = (try? Turns.none.withTurn { close() }) != nil
        if !isClosed { for lane in lanes.all { lane.opened.abandon() } }
    }

    /// Releases the engines, and their stores with them unless the next keychain in memory can use one.
    ///
    /// Not inlined: no reference to the store may remain when the caller leaves the gate.
    @inline(never)
    private func close() {
        for lane in lanes.all {
            let opened = lane.opened
            let engine = opened.engine
            opened.finish()
            guard case .memory = source, let engine, opened.forkGeneration == keychain_fork_generation() else {
                continue
            }
            engine.store.rowObservers = nil
            SpareStores.shared.giveBack(engine.store)
        }
    }

    /// The engine for the store in its current state.
    ///
    /// - Returns: `nil` if there is no store, and none is to be created.
    func currentEngine(_ opened: OpenEngine, makingStore: Bool) throws(KeychainError) -> Engine? {
        if let engine = opened.engine {
            guard opened.forkGeneration == keychain_fork_generation() else {
                throw KeychainError(StoreError.lostByFork)
            }
            if session.adoptFile(of: engine.store) { return engine }
            opened.close()
        }
        let engine: Engine
        switch source {
        case .folder(let location, let options):
            if !makingStore {
                guard try hasStore() else { return nil }
            }
            do throws(KeychainError) {
                engine = try openFolder(at: location, options: options, opened: opened, makingStore: makingStore)
            } catch {
                // It has just been moved away.
                guard error == .noStore else { throw error }
                return nil
            }
            opened.open(engine)
        case .memory(let passcode, let largestMebibytes):
            let (rootKey, made) = try Self.making { () throws(ProtectionError) in
                try NewKeybag.ephemeral(random: random, passcode: passcode, device.passwordWork)
            }
            let spare = largestMebibytes == nil ? SpareStores.shared.take() : nil
            let store = if let spare { spare } else { try Store(largestMebibytes: largestMebibytes) }
            engine = try openMemory(store, rootKey: rootKey, keybag: made)
            opened.openInMemory(engine)
        case .newFile(let password):
            let (rootKey, made) = try Self.making { () throws(ProtectionError) in
                guard let password = password.take() else { throw ProtectionError.noPasscode }
                return try NewKeybag.keychainFile(random: random, password: password, device.passwordWork)
            }
            engine = try openMemory(try Store(), rootKey: rootKey, keybag: made)
            opened.openInMemory(engine)
        case .file(let image):
            guard let image = image.take() else { throw KeychainError(StoreError.lostByFork) }
            engine = try openImage(image)
            opened.openInMemory(engine)
        }
        return engine
    }

    private func openFolder(
        at location: KeychainLocation,
        options: StoreOptions,
        opened: OpenEngine,
        makingStore: Bool
    ) throws(KeychainError) -> Engine {
        let folder: PrivateDirectory
        do { folder = try PrivateDirectory(location) } catch { throw KeychainError(error) }
        let store = try Store.open(in: folder, options: options) { () throws(KeychainError) in
            guard makingStore else { throw .noStore }
            do throws(RootKeyError) {
                return try device.rootKeys.newKeybag(in: folder, owner: device.owner, random: random)
            } catch {
                // There is none, and that is not a store of another root key.
                opened.keybag = []
                throw KeychainError(error)
            }
        }
        store.reserveMemory = device.reserveMemory
        store.onVersionChange = { [device] change in device.onEvent(.storeVersionChanged(change)) }
        let keybag = try store.keybag()
        opened.keybag = keybag
        let rootKey: any RootKey
        do throws(RootKeyError) {
            rootKey = try device.rootKeys.rootKey(of: keybag, in: folder, owner: device.owner)
        } catch {
            throw KeychainError(error)
        }
        let engine = engine(on: store, rootKey: rootKey, folder: folder)
        // If it was replaced since it was opened, the next call uses the new file.
        session.adoptFile(of: store)
        // The keybag is authenticated here, before any row is looked at.
        try engine.start()
        return engine
    }

    /// What was just created here is used as it is, and not read back.
    private func openMemory(
        _ store: Store,
        rootKey: any RootKey,
        keybag made: NewKeybag
    ) throws(KeychainError) -> Engine {
        try store.begin(withKeybag: made.bytes)
        let engine = engine(on: store, rootKey: rootKey, folder: nil)
        engine.start(with: made)
        return engine
    }

    private func openImage(_ image: [UInt8]) throws(KeychainError) -> Engine {
        let store = try Store(image: image)
        let rootKey = try Self.making { () throws(ProtectionError) in try SoftwareRootKey.published() }
        let engine = engine(on: store, rootKey: rootKey, folder: nil)
        try engine.start()
        // It is not authenticated, and a file has no delays and no policy of its own.
        try store.write { (writer) throws(KeychainError) in
            var record = DeviceRecord()
            record.keybagRevision = try writer.deviceRecord().keybagRevision
            try writer.setDeviceRecord(record)
        }
        return engine
    }

    private static func making<Result>(
        _ body: () throws(ProtectionError) -> Result
    ) throws(KeychainError) -> Result {
        do throws(ProtectionError) { return try body() } catch { throw KeychainError(error) }
    }

    private func engine(on store: Store, rootKey: any RootKey, folder: PrivateDirectory?) -> Engine {
        store.rowObservers = (
            areThere: { [observers] in observers.areThere }, tell: { [observers] changes in observers.tell(changes) }
        )
        return Engine(
            store: store,
            rootKey: rootKey,
            rootKeys: device.rootKeys,
            folder: folder,
            session: session,
            owner: device.owner,
            floor: device.passwordFloor,
            clock: clock,
            random: random,
            certificateJudge: device.certificateJudge,
            secretForm: device.secretForm
        )
    }
}

extension KeychainError {
    /// Nothing is stored, because nothing ever was.
    static let noStore = KeychainError(.itemNotFound, "there is no keychain yet")
}

extension KeychainError {
    /// Whether the store may have got another root key, of the same kind or another one, since it was opened.
    var mayBeOfReplacedRootKey: Bool {
        [.keys(.wrongRootKey), .keys(.unsupportedRootKey), .keys(.missingRootKey)].contains(kind)
    }
}
