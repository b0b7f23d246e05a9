// SPDX-License-Identifier: Apache-2.0

import CKeychainSupport
import Dispatch
import Glibc
import KeychainHost
import KeychainStore
import Synchronization

/// The open state of a keychain: an engine with its store and keys.
///
/// No file stays open across a fork. SQLite in the child would assume locks that the kernel did not pass on, and would
/// use a log index that another process may have recreated by then (sqlite.org/howtocorrupt.html, "Carrying an open
/// database connection across a fork"). So the store is closed before, and both processes reopen it.
final class OpenEngine: @unchecked Sendable {
    /// The turn that a thread holds while it uses this.
    fileprivate let turn: Turn

    init(_ turn: Turn) { self.turn = turn }

    // Changed inside the fork gate, in the turn of the lane that owns this, or by a fork while no thread is inside.
    private(set) var engine: Engine?

    /// The condition that prevents this process from changing items, for tests.
    var condition = StoreCondition.healthy {
        didSet { engine?.store.condition = condition }
    }

    /// The keybag that the store had when the call under way opened it; `nil` if an earlier call did.
    var keybag: [UInt8]?

    /// The process that opened the engine; in another process only one in memory remains, as a useless copy.
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

    /// Leaks the engine deliberately: in a child that was forked during a call, SQLite's state must not be touched any
    /// more.
    func abandon() {
        if let engine { _ = Unmanaged.passRetained(engine) }
    }

    /// Lets the engine go, which closes its store.
    func close() {
        if engine == nil { return }
        engine = nil
        Self.every.remove(self)
    }

    /// Releases the engine, and leaves a store whose file is complete, unless other processes are using it at this
    /// moment.
    func finish() {
        engine?.store.finish()
        close()
    }

    private static let every = Every()

    /// The engines over files that are open in this process.
    private final class Every: @unchecked Sendable {
        private let lock = ForkSafeLock()
        private var engines: [ObjectIdentifier: OpenEngine] = [:]
        // How many they are, for who must not wait for the lock.
        private let count = Atomic<Int>(0)

        init() {
            keychain_prepare_forks { OpenEngine.every.closeAll() }
            atexit { OpenEngine.every.finishAllAtExit() }
        }

        /// Writes logs back into files when the process ends by exit(3).
        ///
        /// It never takes longer than a second: other threads may be executing calls, and a disk may not respond.
        /// Anything that is not written by then stays in the log, as after a crash.
        private func finishAllAtExit() {
            guard count.load(ordering: .relaxed) > 0, keychain_is_abandoned() == 0 else { return }
            let isDone = DispatchSemaphore(value: 0)
            let isStarted = HostThread.start(.blocked) { [self] in
                finishAll(until: Deadline(milliseconds: Self.longestExitMilliseconds))
                isDone.signal()
            }
            guard isStarted else { return }
            _ = isDone.wait(timeout: .now() + .milliseconds(Int(Self.longestExitMilliseconds)))
        }

        private static let longestExitMilliseconds: Int32 = 1_000

        private func finishAll(until deadline: Deadline) {
            let open = (try? Turns.none.withTurn(until: deadline) { all }) ?? []
            for engine in open { try? Turns([engine.turn]).withTurn(until: deadline) { engine.finish() } }
        }

        private var all: [OpenEngine] {
            lock.acquire()
            defer { lock.release() }
            return Array(engines.values)
        }

        func insert(_ open: OpenEngine) {
            lock.acquire()
            defer { lock.release() }
            engines[ObjectIdentifier(open)] = open
            count.store(engines.count, ordering: .relaxed)
        }

        func remove(_ open: OpenEngine) {
            lock.acquire()
            defer { lock.release() }
            engines[ObjectIdentifier(open)] = nil
            count.store(engines.count, ordering: .relaxed)
        }

        private func closeAll() {
            lock.acquire()
            defer { lock.release() }
            for open in engines.values { open.engine = nil }
            engines.removeAll()
            count.store(0, ordering: .relaxed)
        }
    }
}
