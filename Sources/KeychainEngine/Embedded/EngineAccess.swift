// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainFiles
import KeychainProtection
import KeychainStore

@_implementationOnly import CKeychainSupport

/// Lets one caller at a time at the engine of a keychain, and opens it when it has to.
final class EngineAccess: Sendable {
    /// Where the store lies.
    enum Source: Sendable {
        case folder(KeychainLocation, StoreOptions)
        /// In memory, with a passcode from the beginning if there is one.
        case memory(passcode: SecretBytes?)
    }

    let source: Source
    let device: DeviceOptions

    /// What this process has unlocked; it outlives an engine that is opened anew.
    let session: DeviceSession

    /// Held while a passcode is tried, over all threads of a keychain in memory.
    let attempts = ForkSafeLock()

    private let clock: any KeychainClock
    private let random: any RandomSource
    private let lock = ForkSafeLock()
    private let opened = OpenEngine()

    init(_ source: Source, _ device: DeviceOptions, _ clock: any KeychainClock, _ random: any RandomSource) {
        self.source = source
        self.device = device
        self.clock = clock
        self.random = random
        session = DeviceSession(device.hostClock, device.personality)
    }

    func withEngine<Result>(
        _ body: (Engine) throws(KeychainError) -> Result
    ) throws(KeychainError) -> Result {
        keychain_fork_gate_enter()
        defer { keychain_fork_gate_leave() }
        lock.acquire()
        defer { lock.release() }
        session.begin()
        defer { watchIdleness() }
        let engine = try currentEngine()
        engine.store.condition = opened.condition
        do throws(KeychainError) {
            return try body(engine)
        } catch {
            // SQLite keeps a store read-only for as long as it is open, whatever becomes of the file's modes.
            if error.status == .readOnly, case .folder = source { opened.close() }
            throw error
        }
    }

    /// Keeps items from being changed, or lets them again, from the next call on.
    func setCondition(_ condition: StoreCondition) {
        withSession { _ in opened.condition = condition }
    }

    /// Runs `body` in nobody's turn but its own, with no file open; a keychain in memory stays as it is.
    func whileClosed<Result>(_ body: () throws(KeychainError) -> Result) throws(KeychainError) -> Result {
        keychain_fork_gate_enter()
        defer { keychain_fork_gate_leave() }
        lock.acquire()
        defer { lock.release() }
        if case .folder = source { opened.close() }
        return try body()
    }

    /// Drops what a lock takes away, in this process, without opening anything.
    func lockSession() {
        withSession { session in
            session.lock()
            opened.engine?.forgetDevice()
        }
    }

    /// The lock state that this process is in, as far as it is known without opening anything.
    var lockState: LockState { withSession(\.lockState) }

    /// Has this process lock itself in time, by the device's policy, even if no call comes any more.
    private func watchIdleness() {
        session.watchIdleness { [weak self] in
            guard let self else { return nil }
            return withSession { session in
                let next = session.lockIfIdle()
                if next == nil { opened.engine?.forgetDevice() }
                return next
            }
        }
    }

    /// Runs `body` on what this process has unlocked, in its turn.
    private func withSession<Result>(_ body: (DeviceSession) -> Result) -> Result {
        keychain_fork_gate_enter()
        defer { keychain_fork_gate_leave() }
        lock.acquire()
        defer { lock.release() }
        return body(session)
    }

    deinit {
        // A fork in the midst of closing would leave SQLite's own locks taken in the child.
        keychain_fork_gate_enter()
        close()
        keychain_fork_gate_leave()
    }

    /// Lets the engine go, and the store with it unless the next keychain in memory can use it.
    ///
    /// Not inlined: nothing may hold on to the store any more when the caller leaves the gate.
    @inline(never)
    private func close() {
        let engine = opened.engine
        opened.close()
        guard case .memory = source, let engine, opened.forkGeneration == keychain_fork_generation() else { return }
        SpareStores.shared.giveBack(engine.store)
    }

    private func currentEngine() throws(KeychainError) -> Engine {
        if let engine = opened.engine {
            guard opened.forkGeneration == keychain_fork_generation() else {
                throw KeychainError(StoreError.lostByFork)
            }
            if engine.store.isCurrent { return engine }
            opened.close()
        }
        let engine: Engine
        switch source {
        case .folder(let location, let options):
            engine = try openFolder(location, options)
            opened.open(engine)
        case .memory(let passcode):
            engine = try openMemory(passcode)
            opened.openInMemory(engine)
        }
        return engine
    }

    private func openFolder(_ location: KeychainLocation, _ options: StoreOptions) throws(KeychainError) -> Engine {
        let folder: PrivateDirectory
        do { folder = try PrivateDirectory(location) } catch { throw KeychainError(error) }
        let store = try Store.open(in: folder, options: options) { () throws(KeychainError) in
            try makeKeybag(in: folder)
        }
        let rootKey: SoftwareRootKey
        do { rootKey = try RootKeyFile.load(from: folder) } catch { throw KeychainError(error) }
        let engine = engine(store, rootKey, folder)
        // The keybag is authenticated here, before any row is looked at.
        try engine.begin()
        return engine
    }

    private func makeKeybag(in folder: PrivateDirectory) throws(KeychainError) -> [UInt8] {
        let rootKey: SoftwareRootKey
        do { rootKey = try RootKeyFile.loadOrCreate(in: folder) } catch { throw KeychainError(error) }
        do { return try OpenKeybag.make(rootKey: rootKey, random: random) } catch { throw KeychainError(error) }
    }

    /// What was just made here is taken as it is, and not read back.
    private func openMemory(_ passcode: SecretBytes?) throws(KeychainError) -> Engine {
        let (rootKey, made): (SoftwareRootKey, NewKeybag)
        do throws(ProtectionError) {
            (rootKey, made) = try NewKeybag.ephemeral(random: random, passcode: passcode, device.passwordWork)
        } catch {
            throw KeychainError(error)
        }
        let store = if let spare = SpareStores.shared.take() { spare } else { try Store() }
        try store.begin(withKeybag: made.bytes)
        let engine = engine(store, rootKey, nil)
        engine.begin(with: made)
        return engine
    }

    private func engine(_ store: Store, _ rootKey: SoftwareRootKey, _ folder: PrivateDirectory?) -> Engine {
        Engine(store: store, rootKey: rootKey, folder: folder, session: session, clock: clock, random: random)
    }
}
