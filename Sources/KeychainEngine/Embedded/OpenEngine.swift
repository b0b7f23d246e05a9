// SPDX-License-Identifier: Apache-2.0

import CKeychainSupport
import KeychainStore

/// What a keychain has open: an engine over a store and its keys.
///
/// Nothing in a file stays open over a fork. SQLite in the child would believe to hold locks that the kernel did not
/// pass on, and would use a log index that another process may have made anew by then (sqlite.org/howtocorrupt.html,
/// "Carrying an open database connection across a fork"). So it is closed before, and both processes open anew.
final class OpenEngine: @unchecked Sendable {
    // Changed inside the fork gate, in the turn of the lane that owns this, or by a fork while nobody is inside.
    private(set) var engine: Engine?

    /// What keeps this process from changing items, for tests.
    var condition = StoreCondition.healthy {
        didSet { engine?.store.condition = condition }
    }

    /// In which process the engine was opened; only one in memory is still there in another, a copy of no use.
    private(set) var forkGeneration: UInt64 = 0

    /// Notes an engine over files, to be closed before a fork.
    func open(_ engine: Engine) {
        openInMemory(engine)
        Self.every.insert(self)
    }

    /// Notes an engine that has no files, and so nothing to close before a fork.
    func openInMemory(_ engine: Engine) {
        engine.store.condition = condition
        self.engine = engine
        forkGeneration = keychain_fork_generation()
    }

    /// Leaves the engine where it is, for ever: in a child that was forked in the midst of a call nothing of SQLite may
    /// be touched any more.
    func abandon() {
        if let engine { _ = Unmanaged.passRetained(engine) }
    }

    /// Lets the engine go, which closes its store.
    func close() {
        if engine == nil { return }
        engine = nil
        Self.every.remove(self)
    }

    private static let every = Every()

    /// The engines over files that are open in this process.
    private final class Every: @unchecked Sendable {
        private let lock = ForkSafeLock()
        private var engines: [ObjectIdentifier: OpenEngine] = [:]

        init() {
            keychain_prepare_forks { OpenEngine.every.closeAll() }
        }

        func insert(_ open: OpenEngine) {
            lock.acquire()
            defer { lock.release() }
            engines[ObjectIdentifier(open)] = open
        }

        func remove(_ open: OpenEngine) {
            lock.acquire()
            defer { lock.release() }
            engines[ObjectIdentifier(open)] = nil
        }

        private func closeAll() {
            lock.acquire()
            defer { lock.release() }
            for open in engines.values { open.engine = nil }
            engines.removeAll()
        }
    }
}
