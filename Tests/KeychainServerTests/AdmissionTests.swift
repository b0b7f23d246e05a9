// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Glibc
import KeychainClient
import KeychainCore
import KeychainTestSupport
import KeychainWire
import ServerTestSupport
import Synchronization
import Testing

@testable import KeychainServer

/// Looks at programs that take long, or for ever.
@Suite(.timeLimit(.minutes(10)))
struct AdmissionTests {
    private static func options(patience: Int32) -> ServerOptions {
        var options = ServerOptions()
        options.tickMilliseconds = 10
        options.admissionMilliseconds = patience
        // The connections of a test are of one process.
        options.maximumAdmissionsPerProcess = 128
        return options
    }

    @Test("while programs are looked at that nothing can be read of, others are let in and served")
    func hanging() throws {
        let admission = HangingAdmission(hanging: 6)
        let server = try TestServer(admission: admission, Self.options(patience: 300_000))
        let hanging = try (0..<6).map { _ in try RawConnection(server.location) }
        #expect(eventually("all of them are looked at") { admission.held == 6 })
        try server.client().add("a")
        #expect(admission.keychain.counts == ["a": 1])
        admission.open()
        #expect(eventually("they are let in") { server.connectionCount >= hanging.count })
    }

    @Test("a program that cannot be looked at in time is told so; meanwhile, no thread is spent on another look at it")
    func overdue() throws {
        let admission = HangingAdmission(hanging: 1)
        let server = try TestServer(admission: admission, Self.options(patience: 100))
        for _ in 0..<2 {
            let error = #expect(throws: KeychainError.self) { try server.client().add("a") }
            #expect(error?.status == .notAvailable)
            #expect(error?.reason.contains("could not identify") == true, "\(String(describing: error))")
        }
        #expect(admission.held == 1)
        admission.open()
        #expect(eventually("others are let in again") { (try? server.client().add("b")) != nil })
        #expect(admission.keychain.counts["a"] == nil)
    }

    @Test("processes of one user are looked at a few at a time; the others wait, and are let in")
    func limitOfUser() throws {
        let admission = HangingAdmission(hanging: 6)
        var options = Self.options(patience: 300_000)
        options.maximumAdmissionsPerUser = 2
        let server = try TestServer(admission: admission, options)
        let connections = try (0..<6).map { _ in try RawConnection(server.location) }
        #expect(eventually("two are looked at") { admission.held == 2 })
        for left in [3, 2, 1, 0] {
            admission.openOne()
            #expect(eventually("the next one is") { admission.left == left && admission.held == 2 })
        }
        for _ in 0..<2 { admission.openOne() }
        #expect(eventually("all are let in") { admission.held == 0 && admission.maximumHeld == 2 })
        withExtendedLifetime(connections) {}
    }

    @Test("a process whose turn does not come in time is told so, and not that its own files are the reason")
    func overdueInQueue() throws {
        let admission = HangingAdmission(hanging: 1)
        var options = Self.options(patience: 100)
        options.maximumAdmissionsPerProcess = 1
        options.maximumConnectionsPerUser = 2
        let server = try TestServer(admission: admission, options)
        let hanging = try RawConnection(server.location)
        #expect(eventually("it is looked at") { admission.held == 1 })
        for _ in 0..<3 {
            let error = #expect(throws: KeychainError.self) { try server.client().add("a") }
            #expect(error?.reason.contains("did not get to") == true, "\(String(describing: error))")
            #expect(error?.reason.contains("file system") == false)
        }
        admission.open()
        #expect(eventually("others are let in again") { (try? server.client().add("b")) != nil })
        #expect(admission.keychain.counts["a"] == nil)
        withExtendedLifetime(hanging) {}
    }

    @Test("users whose accounts are not known yet share connections and places, and known ones have their own")
    func unknownUsers() throws {
        let admission = HangingAdmission(hanging: 4, knowsUsers: false)
        var options = Self.options(patience: 300_000)
        options.messageMilliseconds = 300_000
        options.maximumAdmissionsPerUser = 2
        options.maximumConnectionsPerUser = 4
        let server = try TestServer(admission: admission, options)
        let unknown = try (0..<4).map { _ in try RawConnection(server.location) }
        #expect(eventually("two are looked at") { admission.held == 2 })
        let refusal = #expect(throws: KeychainError.self) { try server.client().add("a") }
        #expect(refusal?.reason.contains("accounts it has not looked up") == true, "\(String(describing: refusal))")
        admission.learnUsers()
        admission.stopHolding()
        let program = server.client()
        try program.add("b")
        #expect(admission.held == 2)
        #expect(admission.keychain.counts == ["b": 1])
        // Their connections are the user's then, of whom there may be no more than before.
        admission.open()
        #expect(
            eventually("one is refused") {
                unknown.count { !SocketReadiness.wait(for: .readable, of: $0.socket, milliseconds: 0).isEmpty } == 1
            }
        )
        #expect(server.connectionCount == 4)
        withExtendedLifetime(program) {}
    }

    @Test("the place of a program that cannot be looked at in time is given to one that is queued")
    func placeOfOverdue() throws {
        let admission = HangingAdmission(hanging: 1)
        var options = Self.options(patience: 2_000)
        options.maximumAdmissionsPerUser = 1
        let server = try TestServer(admission: admission, options)
        let hanging = try RawConnection(server.location)
        #expect(eventually("it is looked at") { admission.held == 1 })
        let other = try HelperProcess("keychain-peer", ["add", server.location.path, "other", "1"])
        #expect(try other.nextLine() == "ok other-0")
        #expect(admission.held == 1)
        admission.open()
        withExtendedLifetime(hanging) {}
    }

    @Test("a process that connects many times while it cannot be looked at keeps no other program waiting")
    func oneProcess() throws {
        let admission = HangingAdmission(hanging: 1_000)
        var options = Self.options(patience: 300_000)
        options.maximumAdmissionsPerProcess = 2
        let server = try TestServer(admission: admission, options)
        let connections = try (0..<20).map { _ in try RawConnection(server.location) }
        #expect(eventually("two are looked at") { admission.held == 2 })
        admission.stopHolding()
        let other = try HelperProcess("keychain-peer", ["add", server.location.path, "other", "1"])
        #expect(try other.nextLine() == "ok other-0")
        #expect(admission.held == 2)
        admission.open()
        #expect(eventually("all are let in") { server.connectionCount >= connections.count })
    }

    @Test("an application of two users has limits of its own with each of them")
    func applicationOfUsers() throws {
        struct Peer: ConnectedPeer {
            let process: ProcessInstance
            let application: String? = "com.example.app"
            let backend: any KeychainBackend = CountingKeychain()
            let vouchesForBiometry = false
            func permitted(_ command: KeychainCommand) throws(KeychainError) -> KeychainCommand { command }
            func confirm() throws(KeychainError) {}
        }
        var options = ServerOptions()
        options.maximumConnectionsPerProcess = 1
        let table = ProcessTable(options)
        let peers = (1...3).map { Peer(process: ProcessInstance(identifier: $0, startTime: 0)) }
        let first = try table.join(peers[0], of: 1001)
        _ = try table.join(peers[1], of: 1002)
        #expect(throws: KeychainError.self) { try table.join(peers[2], of: 1001) }
        #expect(table.leave(first).isEmpty)
        _ = try table.join(peers[2], of: 1001)
    }

    @Test("a connection that says nothing ends in time, also when nothing else was going on while it was looked at")
    func silent() throws {
        let admission = HangingAdmission(hanging: 1)
        var options = Self.options(patience: 300_000)
        options.messageMilliseconds = 200
        let server = try TestServer(admission: admission, options)
        let connection = try RawConnection(server.location)
        #expect(eventually("it is looked at") { admission.held == 1 })
        admission.open()
        #expect(try connection.isEnded())
    }
}

/// Lets everybody in, the first ones only once a test wants that.
private final class HangingAdmission: Admission {
    let keychain = CountingKeychain()
    private let state: Mutex<(left: Int, held: Int, maximumHeld: Int)>
    private let gate = DispatchSemaphore(value: 0)

    private let knowsUsers: Mutex<Bool>

    init(hanging: Int, knowsUsers: Bool = true) {
        state = Mutex((hanging, 0, 0))
        self.knowsUsers = Mutex(knowsUsers)
    }

    /// Knows every user from now on.
    func learnUsers() { knowsUsers.withLock { $0 = true } }

    func isKnown(_ user: UInt32) -> Bool { knowsUsers.withLock(\.self) }

    /// How many are held back now.
    var held: Int { state.withLock(\.held) }

    /// How many are still to be held back.
    var left: Int { state.withLock(\.left) }

    /// How many were held back at once, at most.
    var maximumHeld: Int { state.withLock(\.maximumHeld) }

    func openOne() { gate.signal() }

    /// Holds back none of those that come from now on.
    func stopHolding() { state.withLock { $0.left = 0 } }

    func open() { for _ in 0..<held { gate.signal() } }

    func admit(_ socket: Int32) throws(KeychainError) -> any ConnectedPeer {
        let isHeld = state.withLock { state in
            guard state.left > 0 else { return false }
            state.left -= 1
            state.held += 1
            state.maximumHeld = max(state.maximumHeld, state.held)
            return true
        }
        if isHeld {
            gate.wait()
            state.withLock { $0.held -= 1 }
        }
        return OpenPeer(process: ProcessInstance(identifier: getpid(), startTime: 0), backend: keychain)
    }
}
