// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainFiles
import KeychainProtection
import KeychainStore

@_implementationOnly import CKeychainSupport

/// A keychain inside this process: the engine over a store in a folder or in memory.
///
/// Thread-safe; calls take turns. Several processes may use the same folder at once. A forked child may go on using the
/// object: a fork waits for calls under way and closes the folder, and each process opens it anew for itself.
public final class EmbeddedKeychain: KeychainBackend {
    private let source: Source
    private let clock: any KeychainClock
    private let random: any RandomSource
    private let lock = ForkSafeLock()
    private let opened = OpenEngine()

    private enum Source: Sendable {
        case folder(KeychainLocation, StoreOptions)
        case memory
    }

    /// The keychain of a folder.
    ///
    /// Nothing is read or made before the first call.
    ///
    /// - Parameters:
    ///   - location: the folder; it is made, with an empty keychain, when it does not exist.
    ///   - options: how patient to be with other processes.
    ///   - clock: where dates come from.
    ///   - random: where identifiers come from.
    public init(
        at location: KeychainLocation,
        options: StoreOptions = StoreOptions(),
        clock: any KeychainClock = SystemClock(),
        random: any RandomSource = SystemRandomSource()
    ) {
        source = .folder(location, options)
        self.clock = clock
        self.random = random
    }

    private init(inMemoryWith clock: any KeychainClock, _ random: any RandomSource) {
        source = .memory
        self.clock = clock
        self.random = random
    }

    /// A keychain in memory, empty, gone with the object.
    public static func inMemory(
        clock: any KeychainClock = SystemClock(),
        random: any RandomSource = SystemRandomSource()
    ) -> EmbeddedKeychain {
        EmbeddedKeychain(inMemoryWith: clock, random)
    }

    /// Carries out a request; durable when it returns.
    public func perform(_ request: KeychainRequest) throws(KeychainError) -> KeychainAnswer {
        try withEngine { (engine) throws(KeychainError) in try engine.perform(request) }
    }

    func withEngine<Result>(
        _ body: (Engine) throws(KeychainError) -> Result
    ) throws(KeychainError) -> Result {
        keychain_fork_gate_enter()
        defer { keychain_fork_gate_leave() }
        lock.acquire()
        defer { lock.release() }
        let engine = try currentEngine()
        do throws(KeychainError) {
            return try body(engine)
        } catch {
            // SQLite keeps a store read-only for as long as it is open, whatever becomes of the file's modes.
            if error.status == .readOnly { opened.close() }
            throw error
        }
    }

    deinit {
        // A fork in the midst of closing would leave SQLite's own locks taken in the child.
        keychain_fork_gate_enter()
        opened.close()
        keychain_fork_gate_leave()
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
        case .memory:
            engine = try openMemory()
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
        return try engine(store, rootKey)
    }

    private func makeKeybag(in folder: PrivateDirectory) throws(KeychainError) -> [UInt8] {
        let rootKey: SoftwareRootKey
        do { rootKey = try RootKeyFile.loadOrCreate(in: folder) } catch { throw KeychainError(error) }
        do { return try Device.makeKeybag(rootKey: rootKey, random: random) } catch { throw KeychainError(error) }
    }

    private func openMemory() throws(KeychainError) -> Engine {
        let rootKey: SoftwareRootKey
        let keybag: [UInt8]
        do {
            rootKey = try SoftwareRootKey.ephemeral()
            keybag = try Device.makeKeybag(rootKey: rootKey, random: random)
        } catch {
            throw KeychainError(error)
        }
        return try engine(Store(inMemoryWithKeybag: keybag), rootKey)
    }

    /// The keybag is authenticated here, before any row is looked at.
    private func engine(_ store: Store, _ rootKey: SoftwareRootKey) throws(KeychainError) -> Engine {
        let keybag = try store.keybag()
        let device: Device
        do { device = try Device(keybag: keybag, rootKey: rootKey, random: random) } catch {
            throw KeychainError(error)
        }
        return Engine(store: store, device: device, clock: clock, random: random)
    }
}
