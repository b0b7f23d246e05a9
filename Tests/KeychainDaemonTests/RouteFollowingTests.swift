// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import KeychainCore
import KeychainEngine
import KeychainHost
import KeychainOnDemand
import KeychainProtection
import KeychainTestSupport
import Synchronization
import Testing

@testable import KeychainRouting

/// How observers of changes follow a store whose owner is read late, wrongly or not at all.
@Suite(.timeLimit(.minutes(10)))
struct RouteFollowingTests {
    private static let client = Client(accessGroups: ["example"])

    private let folder: TemporaryFolder
    private let path: String
    private let store = ScriptedStore()
    private let daemon = FakeDaemon()

    init() throws {
        folder = try TemporaryFolder()
        path = folder.path(of: "keychain")
        try makeFolder()
    }

    @Test("a failure that names no owner ends no subscription, and the owner is read again later")
    func failure() throws {
        store.owner = .success(.daemon)
        let program = program()
        let observation = program.observeChanges(as: Self.client) { _ in }
        #expect(eventually("it is subscribed") { daemon.current == 1 })
        store.owner = .failure(KeychainError(.io, "too many open files", kind: .storage(.file)))
        #expect(program.owner == .daemon)
        #expect(daemon.current == 1 && daemon.total == 1)
        store.owner = .success(.embedded)
        #expect(eventually("it reads the owner again") { daemon.current == 0 })
        withExtendedLifetime(observation) {}
    }

    @Test("a thread that read the owner before the store moved does not end the subscription to the new one")
    func staleOwner() throws {
        let program = program()
        let observation = program.observeChanges(as: Self.client) { _ in }
        #expect(eventually("the owner was read, and verified") { store.reads >= 2 })
        store.holdNext()
        Thread.detachNewThread { _ = program.owner }
        store.waitUntilHeld()
        store.owner = .success(.daemon)
        #expect(program.owner == .daemon)
        #expect(daemon.current == 1)
        store.release()
        #expect(eventually("the stale owner was corrected") { daemon.current == 1 && daemon.total == 2 })
        #expect(program.owner == .daemon)
        withExtendedLifetime(observation) {}
    }

    @Test("a folder that could not be watched is watched later")
    func watchLater() throws {
        try FileManager.default.removeItem(atPath: path)
        try Data().write(to: URL(fileURLWithPath: path))
        let program = program()
        let observation = program.observeChanges(as: Self.client) { _ in }
        #expect(eventually("it is tried again") { store.reads > 10 })
        try FileManager.default.removeItem(atPath: path)
        try makeFolder()
        #expect(store.settles(), "with a watch, nothing is read while nothing happens")
        store.owner = .success(.daemon)
        try writeRecord("a")
        #expect(eventually("it is subscribed") { daemon.current == 1 })
        withExtendedLifetime((program, observation)) {}
    }

    @Test("a subscription that could not begin is tried again")
    func subscriptionLater() throws {
        store.owner = .success(.daemon)
        daemon.failures = 3
        let program = program()
        let observation = program.observeChanges(as: Self.client) { _ in }
        #expect(eventually("it is subscribed") { daemon.current == 1 })
        #expect(daemon.failures == 0)
        withExtendedLifetime((program, observation)) {}
    }

    @Test("a subscription follows a daemon to another socket")
    func otherSocket() throws {
        store.owner = .success(.daemon)
        try writeRecord("a")
        let program = program()
        let observation = program.observeChanges(as: Self.client) { _ in }
        #expect(eventually("it is subscribed") { daemon.current == 1 })
        try writeRecord("b")
        #expect(eventually("it is subscribed again") { daemon.total == 2 && daemon.current == 1 })
        #expect(store.settles())
        #expect(daemon.total == 2)
        withExtendedLifetime((program, observation)) {}
    }

    @Test("a folder that takes the place of a renamed one is watched")
    func renamedFolder() throws {
        let program = program()
        let observation = program.observeChanges(as: Self.client) { _ in }
        #expect(eventually("the owner was read, and verified") { store.reads >= 2 })
        let reads = store.reads
        try FileManager.default.moveItem(atPath: path, toPath: folder.path(of: "old"))
        #expect(eventually("the owner is read again") { store.reads > reads })
        try makeFolder()
        store.owner = .success(.daemon)
        try writeRecord("a")
        #expect(eventually("it is subscribed") { daemon.current == 1 })
        withExtendedLifetime((program, observation)) {}
    }

    @Test("an observer that was removed gets no notice of an earlier change of owner")
    func removed() throws {
        store.owner = .success(.daemon)
        let program = program()
        let notices = Atomic(0)
        var observation: ChangeObservation? = program.observeChanges(as: Self.client) { _ in
            notices.add(1, ordering: .relaxed)
        }
        #expect(eventually("it is subscribed, and that was verified") { daemon.current == 1 && store.reads >= 2 })
        // The queue that would call the handler is busy, while another thread finds another owner.
        store.holdNext()
        let other = program.observeChanges(as: Self.client) { _ in }
        store.waitUntilHeld()
        store.owner = .success(.embedded)
        #expect(program.owner == .embedded)
        withExtendedLifetime(observation) {}
        observation = nil
        let reads = store.reads
        let last = program.observeChanges(as: Self.client) { _ in }
        store.release()
        #expect(eventually("what was queued before was executed") { store.reads > reads } && store.settles())
        #expect(notices.load(ordering: .relaxed) == 0)
        withExtendedLifetime((other, last)) {}
    }

    private func program() -> RoutedKeychain {
        let store = store
        return RoutedKeychain(
            [(.embedded, FakeDaemon()), (.daemon, daemon)],
            folder: path,
            retryMilliseconds: 10
        ) { () throws(KeychainError) in try store.checkOwner() }
    }

    private func makeFolder() throws {
        try FileManager.default.createDirectory(
            atPath: path,
            withIntermediateDirectories: false,
            attributes: [.posixPermissions: 0o700]
        )
    }

    private func writeRecord(_ socket: String) throws {
        let folder = try #require(try PrivateDirectory(existing: KeychainLocation(path: path)))
        try ServiceRecord(program: nil, socket: "/run/\(socket)").write(in: folder)
    }
}

/// A store of whose owner the test decides, and when a thread that has read it goes on.
private final class ScriptedStore: Sendable {
    private struct State {
        var owner: Result<StoreOwner, KeychainError> = .success(.embedded)
        var reads = 0
        var isHeldNext = false
    }

    private let state = Mutex(State())
    private let held = DispatchSemaphore(value: 0)
    private let released = DispatchSemaphore(value: 0)

    var owner: Result<StoreOwner, KeychainError> {
        get { state.withLock(\.owner) }
        set { state.withLock { $0.owner = newValue } }
    }

    /// How often the owner was read.
    var reads: Int { state.withLock(\.reads) }

    /// Has the next thread wait that has read the owner.
    func holdNext() { state.withLock { $0.isHeldNext = true } }

    func waitUntilHeld() { held.wait() }

    func release() { released.signal() }

    /// Whether it is no longer read from some time on.
    func settles() -> Bool {
        for _ in 0..<100 {
            let before = reads
            usleep(300_000)
            if reads == before { return true }
        }
        return false
    }

    func checkOwner() throws(KeychainError) -> Bool {
        let (owner, isHeld) = state.withLock { state in
            defer { state.isHeldNext = false }
            state.reads += 1
            return (state.owner, state.isHeldNext)
        }
        if isHeld {
            held.signal()
            released.wait()
        }
        let name = try owner.get()
        guard name == .embedded else { throw KeychainError(ProtectionError.foreignOwner(name)) }
        return true
    }
}

/// Counts its observers.
private final class FakeDaemon: NotifyingKeychain {
    private let state = Mutex((current: 0, total: 0, failures: 0))

    /// Those that observe.
    var current: Int { state.withLock(\.current) }

    /// Those that ever did.
    var total: Int { state.withLock(\.total) }

    /// How many attempts to observe fail from now on.
    var failures: Int {
        get { state.withLock(\.failures) }
        set { state.withLock { $0.failures = newValue } }
    }

    var families: CommandFamily { .all }

    func carryOut(_ command: KeychainCommand) throws(KeychainError) -> KeychainReply { .done }

    func observe(
        as client: Client,
        _ handler: @escaping @Sendable (ChangeNotice) -> Void
    ) throws(KeychainError) -> ChangeObservation {
        let hasFailed = state.withLock { state in
            guard state.failures == 0 else {
                state.failures -= 1
                return true
            }
            state.current += 1
            state.total += 1
            return false
        }
        if hasFailed { throw KeychainError(.notAvailable, "too many open files", kind: .storage(.file)) }
        return ChangeObservation { [self] in state.withLock { $0.current -= 1 } }
    }
}
