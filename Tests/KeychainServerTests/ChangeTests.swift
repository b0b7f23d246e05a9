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

/// Notifications of other programs' changes.
@Suite(.timeLimit(.minutes(10)))
struct ChangeTests {
    private let keychain = CountingKeychain()
    private let server: TestServer
    private let program: DaemonKeychain

    init() throws {
        server = try TestServer(admission: NumberedAdmission(keychain))
        program = server.client()
    }

    @Test("a program is notified where others changed something, in its groups only, and never what")
    func groups() throws {
        let notices = Notices(server.client(), ["mine", "shared"])
        #expect(notices.next() == .unknown, "earlier changes are not known")
        try program.add("a", in: "other")
        try program.add("b", in: "shared")
        #expect(notices.next() == .changed([ChangedItems(.genericPassword, in: "shared")]))
        // Two spellings of one letter are two groups.
        try program.add("c", in: "min\u{65}\u{301}")
        try program.add("d", in: "mine")
        #expect(notices.next() == .changed([ChangedItems(.genericPassword, in: "mine")]))
    }

    @Test("there is no notice of a program's own changes, of reads, and of changes that failed")
    func notTold() throws {
        let admission = NumberedAdmission(keychain)
        admission.isOneProcess = true
        let server = try TestServer(admission: admission)
        let own = server.client()
        let notices = Notices(own, ["mine", "shared"])
        #expect(notices.next() == .unknown)
        try own.add("own", in: "mine")
        admission.isOneProcess = false
        let other = server.client()
        _ = try other.read()
        #expect(throws: KeychainError.self) {
            try other.perform(KeychainRequest(.add(["class": .string("inet")]), client: .of("shared")))
        }
        try other.add("other", in: "shared")
        #expect(notices.next() == .changed([ChangedItems(.genericPassword, in: "shared")]))
        #expect(notices.count == 0)
    }

    @Test("a program is not notified of changes in another keychain, as the system service has one for each user")
    func otherKeychain() throws {
        let admission = NumberedAdmission(keychain)
        let server = try TestServer(admission: admission)
        let notices = Notices(server.client(), ["mine", "shared"])
        #expect(notices.next() == .unknown)
        let program = server.client()
        _ = try program.read()
        admission.use(CountingKeychain())
        try server.client().add("another user's", in: "mine")
        try program.add("own user's", in: "shared")
        #expect(notices.next() == .changed([ChangedItems(.genericPassword, in: "shared")]))
        #expect(notices.count == 0)
    }

    @Test("what was changed right before the daemon stops is notified")
    func lastChanges() throws {
        let notices = Notices(server.client(), ["shared"])
        #expect(notices.next() == .unknown)
        try program.add("a", in: "shared")
        #expect(notices.next() == .changed([ChangedItems(.genericPassword, in: "shared")]))
        try program.add("b", in: "shared")
        server.stop()
        #expect(notices.next() == .changed([ChangedItems(.genericPassword, in: "shared")]))
    }

    @Test("a wrong passcode may have erased everything")
    func wrongPasscode() throws {
        let notices = Notices(server.client(), ["shared"])
        #expect(notices.next() == .unknown)
        keychain.failure = KeychainError(DeviceError.erased)
        #expect(throws: KeychainError.self) { try program.read() }
        #expect(notices.next() == .unknown)
    }

    @Test("a process has so many subscriptions at the most, and its other connections are served")
    func mostSubscriptions() throws {
        let admission = NumberedAdmission(keychain)
        admission.isOneProcess = true
        var options = ServerOptions()
        options.mostSubscriptionsOfProcess = 2
        let server = try TestServer(admission: admission, options)
        let held = try (0..<2).map { _ in
            let connection = try RawConnection.greeted(server.location)
            try connection.send(.observe(1, .of("shared")))
            #expect(try connection.message() == .reply(1, .done))
            return connection
        }
        let further = try RawConnection.greeted(server.location)
        try further.send(.observe(1, .of("shared")))
        guard case .failure(0, let error)? = try further.message() else {
            Issue.record("it was not refused")
            return
        }
        #expect(error.kind == .unavailable && error.reason.contains("limit of subscriptions"))
        try server.client().add("a", in: "shared")
        withExtendedLifetime(held) {}
    }

    @Test("a change is notified after it was made, never before")
    func afterwards() throws {
        let notices = Notices(server.client(), ["shared"])
        #expect(notices.next() == .unknown)
        keychain.close()
        let isDone = DispatchSemaphore(value: 0)
        Thread.detachNewThread { [program] in
            try? program.add("held", in: "shared")
            isDone.signal()
        }
        #expect(eventually("it is held") { keychain.held == 1 })
        // Another command is executed and notified meanwhile.
        _ = try server.client().perform(.device(.removePasscode(SecretBytes())))
        #expect(notices.next() == .unknown)
        #expect(notices.count == 0)
        keychain.open()
        #expect(notices.next() == .changed([ChangedItems(.genericPassword, in: "shared")]))
        #expect(keychain.counts["held"] == 1)
        #expect(isDone.wait(timeout: .now() + .seconds(60)) == .success)
    }

    @Test("a program that does not read is notified that anything may have changed, not of each change")
    func slow() throws {
        let raw = try RawConnection.greeted(server.location)
        try raw.send(.observe(1, Client(accessGroups: [Client.everyGroup])))
        #expect(try raw.message() == .reply(1, .done))
        // More than the socket accepts: each notice names another group, with a long name.
        let name = String(repeating: "x", count: 5_000)
        let notices = Notices(server.client(), ["last"])
        #expect(notices.next() == .unknown)
        for number in 0..<400 {
            try program.add("\(number)", in: "\(name)\(number)")
            // Several batches.
            if number % 4 == 0 { usleep(25_000) }
        }
        try program.add("last", in: "last")
        #expect(notices.comes(.changed([ChangedItems(.genericPassword, in: "last")])), "others are notified meanwhile")
        var told: [ChangeNotice] = []
        while told.last != .unknown {
            guard case .changed(let number, let notice) = try raw.message() else {
                Issue.record("it is not notified")
                return
            }
            #expect(number == UInt64(told.count) + 1)
            told.append(notice)
        }
        #expect(told.count < 400)
        try program.add("after", in: "after")
        while told.last != .changed([ChangedItems(.genericPassword, in: "after")]) {
            guard case .changed(_, let notice) = try raw.message(), told.count < 400 else {
                Issue.record("it is not notified after it has read")
                return
            }
            told.append(notice)
        }
    }

    @Test("a program connects to the next daemon by itself, and is notified that changes may have been missed")
    func restart() throws {
        let notices = Notices(server.client(), ["shared"])
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
        let notices = Notices(server.client(options: options), ["shared"])
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
        let notices = Notices(server.client(options: options), ["shared"])
        #expect(notices.next() == .unknown)
        #expect(admission.refusals == 2)
        try server.client().add("a", in: "shared")
        #expect(notices.next() == .changed([ChangedItems(.genericPassword, in: "shared")]))
    }

    @Test("a subscriber that exits, or unsubscribes, leaves nothing behind")
    func end() throws {
        #expect(server.connectionCount == 0)
        do {
            let observation = Notices(server.client(), ["shared"])
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
        let notices = Notices(server.client(), ["last"])
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

/// The notices of one program, in their order.
private final class Notices: Sendable {
    private let told = Mutex<[ChangeNotice]>([])
    private let arrived = DispatchSemaphore(value: 0)
    private let observation = Mutex<ChangeObservation?>(nil)

    init(_ keychain: any ObservableKeychain, _ groups: [String]) {
        let observation = keychain.observeChanges(as: Client(accessGroups: groups)) { [weak self] notice in
            self?.told.withLock { $0.append(notice) }
            self?.arrived.signal()
        }
        self.observation.withLock { $0 = observation }
    }

    /// The number of those that ``next()`` has not returned.
    var count: Int { told.withLock(\.count) }

    /// The next notice; `nil` if there is none within a minute.
    func next() -> ChangeNotice? {
        guard arrived.wait(timeout: .now() + .seconds(60)) == .success else { return nil }
        return told.withLock { $0.removeFirst() }
    }

    /// Whether there is a notice, perhaps after others.
    func comes(_ notice: ChangeNotice) -> Bool {
        while let next = next() { if next == notice { return true } }
        return false
    }
}

/// Takes each connection for one of another process, unless the test wants one process.
private final class NumberedAdmission: Admission {
    private let keychain: Mutex<any KeychainBackend>
    private let last = Mutex<Int32>(1)
    private let isOne = Mutex(false)
    private let replaced = Mutex<Int32>(0)

    init(_ keychain: any KeychainBackend) { self.keychain = Mutex(keychain) }

    /// Gives connections that come from now on another keychain.
    func use(_ keychain: any KeychainBackend) { self.keychain.withLock { $0 = keychain } }

    var isOneProcess: Bool {
        get { isOne.withLock(\.self) }
        set { isOne.withLock { $0 = newValue } }
    }

    func admit(_ socket: Int32) throws(KeychainError) -> any ConnectedPeer {
        let number = last.withLock { last in
            if !isOneProcess { last += 1 }
            return last
        }
        let process = ProcessInstance(identifier: number, startTime: 0)
        return Peer(admission: self, process: process, backend: keychain.withLock(\.self))
    }

    /// From now on the processes that are connected run another program than the one that was admitted.
    func replacePrograms() {
        let number = last.withLock(\.self)
        replaced.withLock { $0 = number }
    }

    private struct Peer: ConnectedPeer {
        let admission: NumberedAdmission
        let process: ProcessInstance
        let backend: any KeychainBackend
        let vouchesForBiometry = false

        func permitted(_ command: KeychainCommand) throws(KeychainError) -> KeychainCommand { command }

        func confirm() throws(KeychainError) {
            guard process.identifier > admission.replaced.withLock(\.self) else {
                throw KeychainError(.missingEntitlement, "another program")
            }
        }

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

extension Client {
    fileprivate static func of(_ group: String) -> Client { Client(accessGroups: [group]) }
}

extension DaemonKeychain {
    fileprivate func add(_ account: String, in group: String) throws(KeychainError) {
        let item: PropertyDictionary = ["class": .string("genp"), "acct": .string(account), "agrp": .string(group)]
        _ = try perform(KeychainRequest(.add(item), client: .of(group)))
    }
}
