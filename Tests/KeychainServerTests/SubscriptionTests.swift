// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import KeychainClient
import KeychainCore
import KeychainServer
import KeychainTestSupport
import KeychainWire
import ServerTestSupport
import Synchronization
import Testing

/// Subscriptions to changes: how they begin, what they outlive, how they end, and what they cost.
@Suite(.timeLimit(.minutes(10)))
struct SubscriptionTests {
    private let keychain = CountingKeychain()
    private let server: TestServer
    private let program: DaemonKeychain

    init() throws {
        server = try TestServer(admission: NumberedAdmission(keychain))
        program = server.client()
    }

    @Test("a program connects to the next daemon by itself, and is notified that changes may have been missed")
    func restart() throws {
        let notices = RecordedNotices(server.client(), ["shared"])
        #expect(notices.next() == .unknown)
        for _ in 0..<3 {
            server.stop()
            try server.start()
            #expect(notices.next() == .unknown)
            try program.add("a", in: "shared")
            #expect(notices.next() == .changed([ChangedItems(.genericPassword, in: "shared")]))
        }
    }

    @Test("a program that waits for a daemon finds one that starts much later")
    func late() throws {
        var options = ClientOptions()
        // It no longer tries when the daemon starts.
        options.returnMilliseconds = 1
        let notices = RecordedNotices(server.client(options: options), ["shared"])
        #expect(notices.next() == .unknown)
        server.stop()
        usleep(200_000)
        #expect(notices.count == 0)
        try server.start()
        #expect(notices.next() == .unknown)
    }

    @Test("a daemon that has reached a limit is tried again, although it makes no new socket")
    func limit() throws {
        let admission = RefusingAdmission(keychain, refusing: 2)
        let server = try TestServer(admission: admission)
        var options = ClientOptions()
        options.retryMilliseconds = 10
        let notices = RecordedNotices(server.client(options: options), ["shared"])
        #expect(notices.next() == .unknown)
        #expect(admission.refusals == 2)
        try server.client().add("a", in: "shared")
        #expect(notices.next() == .changed([ChangedItems(.genericPassword, in: "shared")]))
    }

    @Test("a subscriber that exits, or unsubscribes, leaves nothing behind")
    func end() throws {
        #expect(server.connectionCount == 0)
        do {
            let observation = RecordedNotices(server.client(), ["shared"])
            #expect(observation.next() == .unknown)
            let raw = try RawConnection.greeted(server.location)
            try raw.send(.observe(1, .of("shared")))
            #expect(try raw.message() == .reply(1, .done))
            #expect(server.connectionCount == 2)
        }
        try program.add("a", in: "shared")
        #expect(eventually("both are gone") { server.connectionCount == 1 })
        let killed = try HelperProcess("keychain-peer", ["observe", server.location.path, "shared"])
        #expect(try killed.nextLine() == "unknown")
        try killed.kill9()
        #expect(eventually("it is gone") { server.connectionCount == 1 })
    }

    @Test("another process is notified, and a child that it forks is not")
    func process() throws {
        let other = try HelperProcess("keychain-peer", ["observe", server.location.path, "shared"])
        #expect(try other.nextLine() == "unknown")
        try program.add("a", in: "shared")
        #expect(try other.nextLine() == "genp shared")
        #expect(server.connectionCount == 2)
        try other.send(Array("fork\n".utf8))
        #expect(try other.nextLine() == "forked")
        try program.add("b", in: "shared")
        #expect(try other.nextLine() == "genp shared")
        #expect(server.connectionCount == 2)
    }

    @Test("a subscription ends with a command on its connection", arguments: [true, false])
    func noCommands(_ isCommand: Bool) throws {
        let raw = try RawConnection.greeted(server.location)
        try raw.send(.observe(1, .of("shared")))
        #expect(try raw.message() == .reply(1, .done))
        if isCommand { try raw.send(.command(2, .device(.status))) } else { raw.send([0]) }
        #expect(try raw.isEnded())
        #expect(eventually("it is gone") { server.connectionCount == 0 })
    }

    @Test("a program that may not subscribe gets the reason")
    func refused() throws {
        struct Silent: Admission {
            let keychain: CountingKeychain

            func admit(_ socket: Int32) throws(KeychainError) -> any ConnectedPeer { Peer(backend: keychain) }

            struct Peer: ConnectedPeer {
                let process = ProcessInstance(identifier: 1, startTime: 1)
                let backend: any KeychainBackend
                let vouchesForBiometry = false

                func permitted(_ command: KeychainCommand) throws(KeychainError) -> KeychainCommand { command }

                func confirm() throws(KeychainError) {}
            }
        }
        let server = try TestServer(admission: Silent(keychain: keychain))
        let raw = try RawConnection.greeted(server.location)
        try raw.send(.observe(1, .of("shared")))
        guard case .failure(0, let error) = try raw.message() else {
            Issue.record("it is not refused")
            return
        }
        #expect(error.status == .missingEntitlement)
        #expect(try raw.isEnded())
    }

    @Test("subscriptions that take long are limited like commands: the others wait, and other programs are served")
    func slowChecks() throws {
        var options = ServerOptions()
        options.maximumCallsPerProcess = 3
        let admission = SlowAdmission(keychain)
        let server = try TestServer(admission: admission, options)
        let subscribers = try (0..<12).map { _ in try RawConnection.greeted(server.location) }
        for subscriber in subscribers { try subscriber.send(.observe(1, .of("shared"))) }
        #expect(eventually("three are checked") { admission.held == 3 && subscribers.allSatisfy(\.isRead) })
        admission.isOpen = true
        try server.client().add("a", in: "shared")
        #expect(admission.maximumHeld == 3)
        admission.open(12)
        for subscriber in subscribers { #expect(try subscriber.message() == .reply(1, .done)) }
        #expect(admission.maximumHeld == 3)
    }

    @Test("more subscriptions than a program may have are refused before anything is checked")
    func limitFirst() throws {
        var options = ServerOptions()
        options.maximumCallsPerProcess = 1
        options.maximumSubscriptionsPerProcess = 2
        let admission = SlowAdmission(keychain)
        let server = try TestServer(admission: admission, options)
        let subscribers = try (0..<4).map { _ in try RawConnection.greeted(server.location) }
        for subscriber in subscribers.prefix(2) { try subscriber.send(.observe(1, .of("shared"))) }
        #expect(eventually("one is checked, one waits") { admission.held == 1 && subscribers.allSatisfy(\.isRead) })
        for subscriber in subscribers.dropFirst(2) {
            try subscriber.send(.observe(1, .of("shared")))
            guard case .failure(0, let error) = try subscriber.message() else {
                Issue.record("it is not refused")
                continue
            }
            #expect(error.reason.contains("limit of subscriptions"))
        }
        #expect(admission.maximumHeld == 1)
        admission.open(2)
        for subscriber in subscribers.prefix(2) { #expect(try subscriber.message() == .reply(1, .done)) }
    }

    @Test("where subscriptions have taken all connections, the longest-idle one of the program with the most goes")
    func flood() throws {
        var options = ServerOptions()
        options.maximumConnections = 20
        let admission = NumberedAdmission(keychain)
        admission.isOneProcess = true
        let server = try TestServer(admission: admission, options)
        let connections = try (0..<20).map { _ in
            let connection = try RawConnection.greeted(server.location)
            try connection.send(.observe(1, .of("shared")))
            #expect(try connection.message() == .reply(1, .done))
            return connection
        }
        admission.isOneProcess = false
        try server.client().device.lock()
        let ended = connections.filter { !SocketReadiness.wait(for: .readable, of: $0.socket, milliseconds: 0).isEmpty }
        #expect(ended.count == 1)
        #expect(try ended.first?.message() == .goodbye(1))
    }

    @Test("the memory of a subscription counts until it ends, and more than a program's share is refused")
    func memory() throws {
        var options = ServerOptions()
        options.maximumBufferedBytesPerProcess = 1 << 20
        let admission = NumberedAdmission(keychain)
        admission.isOneProcess = true
        let server = try TestServer(admission: admission, options)
        let groups = (0..<3000).map { "group \($0)" }
        func subscribe() throws -> (RawConnection, WireMessage?) {
            let connection = try RawConnection.greeted(server.location)
            connection.sendAll(try WireMessage.observe(1, Client(accessGroups: groups)).encoded().unprotectedCopy)
            return (connection, try connection.message())
        }
        try withExtendedLifetime(subscribe()) { (_, reply) in
            #expect(reply == .reply(1, .done))
            guard case .failure(0, let error) = try subscribe().1 else {
                Issue.record("it is not refused")
                return
            }
            #expect(error.reason.contains("limit of buffered messages"))
        }
        #expect(eventually("both are forgotten") { server.connectionCount == 0 })
        #expect(try subscribe().1 == .reply(1, .done))
    }

    @Test("a subscriber that is no longer the program that was admitted gets no notice")
    func changedProgram() throws {
        let admission = NumberedAdmission(keychain)
        let server = try TestServer(admission: admission)
        let raw = try RawConnection.greeted(server.location)
        try raw.send(.observe(1, .of("shared")))
        #expect(try raw.message() == .reply(1, .done))
        admission.replacePrograms()
        try server.client().add("a", in: "shared")
        guard case .failure(0, let error) = try raw.message() else {
            Issue.record("it is notified")
            return
        }
        #expect(error.status == .missingEntitlement)
        #expect(try raw.isEnded())
    }

    @Test("subscriptions need no thread, neither in the program nor in the daemon, while nothing changes")
    func threads() throws {
        let folder = try TemporaryFolder(prefix: "kd")
        let socket = folder.path(of: "s")
        let daemon = try HelperProcess("keychain-peer", ["serve", socket, folder.path(of: "log")])
        #expect(try daemon.nextLine() == "ready")
        let program = try HelperProcess("keychain-peer", ["observe", socket, "shared", "60"])
        for _ in 0..<60 { #expect(try program.nextLine() == "unknown") }
        for process in [daemon, program] {
            #expect(eventually("the threads end that connected") { Self.threadCount(process.identifier) <= 10 })
        }
        try DaemonKeychain(at: SocketLocation(path: socket)).add("a", in: "shared")
        for _ in 0..<60 { #expect(try program.nextLine() == "genp shared") }
    }

    @Test("a daemon that stops does not wait for a subscriber that does not read")
    func stop() throws {
        var options = ServerOptions()
        options.answerMilliseconds = 300_000
        options.stopMilliseconds = 300_000
        let server = try TestServer(admission: NumberedAdmission(keychain), options)
        let program = server.client()
        let raw = try RawConnection.greeted(server.location)
        try raw.send(.observe(1, Client(accessGroups: [Client.everyGroup])))
        #expect(try raw.message() == .reply(1, .done))
        let name = String(repeating: "x", count: 60_000)
        let notices = RecordedNotices(server.client(), ["last"])
        #expect(notices.next() == .unknown)
        for number in 0..<40 {
            try program.add("\(number)", in: "\(name)\(number)")
            usleep(25_000)
        }
        try program.add("last", in: "last")
        #expect(notices.next() != nil)
        let start = ContinuousClock.now
        server.stop()
        // Five minutes are how long it would wait for a reply to be read.
        #expect(start.duration(to: .now) < .seconds(120))
    }

    private static func threadCount(_ process: Int32) -> Int {
        (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(process)/task").count) ?? .max
    }
}

/// Takes all connections for those of one process, which takes long to check, until the test opens it; then for those
/// of another one, which does not.
private final class SlowAdmission: Admission {
    private let keychain: CountingKeychain
    private let state = Mutex((held: 0, maximumHeld: 0, isOpen: false))
    private let gate = DispatchSemaphore(value: 0)

    init(_ keychain: CountingKeychain) { self.keychain = keychain }

    /// How many checks are in progress.
    var held: Int { state.withLock(\.held) }

    /// How many were at once, at most.
    var maximumHeld: Int { state.withLock(\.maximumHeld) }

    var isOpen: Bool {
        get { state.withLock(\.isOpen) }
        set { state.withLock { $0.isOpen = newValue } }
    }

    /// Lets so many checks end.
    func open(_ count: Int) { for _ in 0..<count { gate.signal() } }

    func admit(_ socket: Int32) throws(KeychainError) -> any ConnectedPeer {
        Peer(admission: self, process: ProcessInstance(identifier: isOpen ? 2 : 1, startTime: 0), backend: keychain)
    }

    private func check() {
        state.withLock { state in
            state.held += 1
            state.maximumHeld = max(state.maximumHeld, state.held)
        }
        gate.wait()
        state.withLock { $0.held -= 1 }
    }

    private struct Peer: ConnectedPeer {
        let admission: SlowAdmission
        let process: ProcessInstance
        let backend: any KeychainBackend
        let vouchesForBiometry = false

        func permitted(_ command: KeychainCommand) throws(KeychainError) -> KeychainCommand { command }

        func confirm() throws(KeychainError) { if process.identifier == 1 { admission.check() } }

        func changeFilter(for client: Client) throws(KeychainError) -> ChangeFilter {
            ChangeFilter(groups: client.accessGroups)
        }
    }
}

/// Takes each connection for one of another process; refuses the first ones, as at a limit.
private final class RefusingAdmission: Admission {
    private let admission: NumberedAdmission
    private let count: Int
    private let refused = Mutex(0)

    init(_ keychain: any KeychainBackend, refusing count: Int) {
        admission = NumberedAdmission(keychain)
        self.count = count
    }

    var refusals: Int { refused.withLock(\.self) }

    func admit(_ socket: Int32) throws(KeychainError) -> any ConnectedPeer {
        let isRefused = refused.withLock { refused in
            guard refused < count else { return false }
            refused += 1
            return true
        }
        if isRefused { throw KeychainError(.notAvailable, "too many connections", kind: .unavailable) }
        return try admission.admit(socket)
    }
}
