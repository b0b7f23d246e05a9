// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainClient
import KeychainCore
import KeychainServer
import KeychainTestSupport
import KeychainWire
import ServerTestSupport
import Synchronization
import Testing

/// Commands and their answers through a socket.
@Suite(.timeLimit(.minutes(10)))
struct CallTests {
    @Test("what a keychain answers arrives, and why it fails")
    func answers() throws {
        let keychain = CountingKeychain()
        let server = try TestServer(keychain)
        let client = server.client()
        try client.add("a")
        #expect(keychain.counts == ["a": 1])
        #expect(try client.device.status().lockState == .unlocked)
        let error = #expect(throws: KeychainError.self) {
            try client.perform(KeychainRequest(.add([:]), client: Client(accessGroups: [])))
        }
        #expect(error == KeychainError.parameter("no account"))
    }

    @Test("a secret of megabytes arrives in either direction", arguments: [0, 1, 4_000, 5_000, 1 << 20, 8 << 20])
    func large(_ size: Int) throws {
        let keychain = CountingKeychain()
        let secret = SecretBytes(count: size) { $0.initializeMemory(as: UInt8.self, repeating: 0x5a) }
        keychain.answer = secret
        let server = try TestServer(keychain)
        let client = server.client()
        guard case .single(.data(let received)) = try client.read() else {
            Issue.record("no data")
            return
        }
        #expect(received.count == size)
        // By bytes: the comparison of secrets is slow without optimization.
        let isSame = received.withUnsafeBytes { bytes in
            bytes.baseAddress.map {
                bytes.isEmpty || ($0.load(as: UInt8.self) == 0x5a && memcmp($0, $0 + 1, size - 1) == 0)
            }
        }
        #expect(isSame != false)
        try client.add(String(repeating: "x", count: size))
        #expect(keychain.counts.keys.first?.utf8.count == size)
    }

    @Test("what is too large for a message is refused, and the connection goes on")
    func tooLarge() throws {
        let server = try TestServer(CountingKeychain())
        let client = server.client()
        let secret = SecretBytes(count: 65 << 20) { _ in }
        let error = #expect(throws: KeychainError.self) { try client.device.unlock(passcode: secret) }
        #expect(error?.status == .dataTooLarge)
        try client.add("a")
        #expect(server.connectionCount == 1)
    }

    @Test("an answer that is too large for a message is an error of its own")
    func largeAnswer() throws {
        let keychain = CountingKeychain()
        keychain.answer = SecretBytes(count: 65 << 20) { _ in }
        let server = try TestServer(keychain)
        let client = server.client()
        let error = #expect(throws: KeychainError.self) { try client.read() }
        #expect(error?.status == .dataTooLarge)
        #expect(error?.reason.contains("64 MiB") == true)
        try client.add("a")
    }

    @Test("threads that call at once are served, each once, over no more connections than are allowed")
    func concurrency() throws {
        let keychain = CountingKeychain()
        let server = try TestServer(keychain)
        var options = ClientOptions()
        options.maximumConnections = 4
        let client = server.client(options: options)
        let failures = Mutex(0)
        DispatchQueue.concurrentPerform(iterations: 16) { thread in
            for number in 0..<50 {
                do throws(KeychainError) { try client.add("\(thread)-\(number)") } catch {
                    failures.withLock { $0 += 1 }
                }
            }
        }
        #expect(failures.withLock(\.self) == 0)
        #expect(keychain.counts.count == 800)
        #expect(keychain.counts.values.allSatisfy { $0 == 1 })
        #expect(server.connectionCount <= 4)
    }

    @Test("while commands are held up, others are served")
    func blockedCalls() throws {
        let keychain = CountingKeychain()
        keychain.close()
        let server = try TestServer(keychain)
        let (busy, other) = (server.client(), server.client())
        let done = DispatchGroup()
        for number in 0..<6 {
            done.enter()
            Thread.detachNewThread {
                try? busy.add("\(number)")
                done.leave()
            }
        }
        #expect(eventually("all are held") { keychain.held == 6 })
        #expect(try other.device.status().lockState == .unlocked)
        keychain.open()
        done.wait()
        #expect(keychain.counts.count == 6)
    }

    @Test(
        "a process or a user that has as many commands under way as it may waits with further ones, and loses none",
        arguments: [(3, 128), (16, 3), (3, 3)]
    )
    func limitOfCalls(ofProcess: Int, ofUser: Int) throws {
        let keychain = CountingKeychain()
        keychain.close()
        var options = ServerOptions()
        options.maximumCallsPerProcess = ofProcess
        options.maximumCallsPerUser = ofUser
        let server = try TestServer(keychain, options)
        let client = server.client()
        let done = DispatchGroup()
        for number in 0..<8 {
            done.enter()
            Thread.detachNewThread {
                try? client.add("\(number)")
                done.leave()
            }
        }
        #expect(
            eventually("three are held, and the others are there") {
                keychain.held == 3 && server.connectionCount == 8
            }
        )
        keychain.open()
        done.wait()
        #expect(keychain.counts == Dictionary(uniqueKeysWithValues: (0..<8).map { ("\($0)", 1) }))
    }

    @Test("of a command that takes long, a daemon says again and again that it is working, sooner than it is given up")
    func working() throws {
        let keychain = CountingKeychain()
        keychain.close()
        let clock = ManualClock()
        let server = try TestServer(keychain, clock: clock)
        let connection = try Self.held(server, keychain)
        for _ in 0..<10 {
            clock.advance(milliseconds: Int64(ClientOptions().silenceMilliseconds) / 3)
            #expect(try connection.message() == .working(1))
        }
        keychain.open()
        #expect(try connection.message() == .reply(1, .answer(.nothing)))
        #expect(keychain.counts == ["first": 1])
    }

    @Test("a command that never ends is given up, and so is one that waits for it; others are served")
    func endless() throws {
        let keychain = CountingKeychain()
        keychain.close()
        var options = ServerOptions()
        options.maximumCallsPerProcess = 1
        let clock = ManualClock()
        let server = try TestServer(keychain, options, clock: clock)
        defer { keychain.open() }
        let first = try Self.held(server, keychain)
        let second = try RawConnection.greeted(server.location)
        try second.send(.command(7, .items(Self.addition("second"))))
        #expect(eventually("it was read") { second.isRead })
        let (lost, refused) = try clock.advancingContinuously {
            (try Self.afterWorking(first, 1), try Self.afterWorking(second, 7))
        }
        #expect(lost == nil, "whether it will be carried out is not known")
        guard case .failure(0, let error)? = refused else {
            Issue.record("it was not given up, or without a reason")
            return
        }
        #expect(error.status == .notAvailable)
        let other = try RawConnection.greeted(server.location)
        try other.send(.command(1, .device(.lock)))
        #expect(try other.message() == .reply(1, .done))
        keychain.open()
        #expect(eventually("it ends") { keychain.counts == ["first": 1] })
        server.stop()
        #expect(keychain.counts == ["first": 1], "the one that was given up is not carried out later")
    }

    /// The first message that does not say that a command is in progress; `nil` if the connection ends.
    private static func afterWorking(_ connection: RawConnection, _ number: UInt64) throws -> WireMessage? {
        while true {
            guard let message = try connection.message() else { return nil }
            if message != .working(number) { return message }
        }
    }

    @Test("a process that is not let in is told why")
    func refusal() throws {
        struct Closed: Admission {
            func admit(_ socket: Int32) throws(KeychainError) -> any ConnectedPeer {
                throw KeychainError(.missingEntitlement, "this program is unknown here")
            }
        }
        let server = try TestServer(admission: Closed())
        let error = #expect(throws: KeychainError.self) { try server.client().add("a") }
        #expect(error == KeychainError(.missingEntitlement, "this program is unknown here"))
    }

    @Test("a process that is not the one that was admitted any more changes nothing, and learns nothing")
    func confirmation() throws {
        let keychain = CountingKeychain()
        keychain.answer = SecretBytes(Array("secret".utf8))
        let server = try TestServer(admission: ChangingAdmission(keychain, confirmations: 0))
        let client = server.client()
        let missing = KeychainRequest(.add([:]), client: Client(accessGroups: []))
        for attempt in [
            { try client.add("a") }, { _ = try client.read() }, { _ = try client.perform(missing) },
            { try client.device.lock() },
        ] {
            let error = #expect(throws: KeychainError.self) { try attempt() }
            #expect(error?.status == .missingEntitlement)
        }
        #expect(keychain.counts.isEmpty)
        keychain.failure = KeychainError(.itemNotFound, "no item matches")
        let error = #expect(throws: KeychainError.self) { _ = try client.read() }
        #expect(error?.status == .missingEntitlement, "what is not there is not told either")
        keychain.failure = nil
        keychain.answer = nil
        let unreturned = #expect(throws: KeychainError.self) { _ = try client.read() }
        #expect(unreturned?.status == .missingEntitlement, "nor that something is there")
    }

    @Test("a change that was made is told of; what would be an answer is withheld")
    func laterChange() throws {
        let keychain = CountingKeychain()
        let server = try TestServer(admission: ChangingAdmission(keychain, confirmations: 1))
        // Over one connection.
        let client = server.client()
        try client.add("a")
        #expect(keychain.counts == ["a": 1])
        let error = #expect(throws: KeychainError.self) { try client.read() }
        #expect(error?.status == .missingEntitlement)
    }

    /// A connection whose command the keychain holds.
    private static func held(_ server: TestServer, _ keychain: CountingKeychain) throws -> RawConnection {
        let connection = try RawConnection.greeted(server.location)
        try connection.send(.command(1, .items(addition("first"))))
        #expect(eventually("it is held") { keychain.held == 1 })
        return connection
    }

    @Test("a command of a program that has gone is not carried out, when its turn comes")
    func deadProgram() throws {
        let keychain = CountingKeychain()
        keychain.close()
        var options = ServerOptions()
        options.maximumCallsPerProcess = 1
        // Nobody looks after the connections meanwhile.
        options.tickMilliseconds = 300_000
        let server = try TestServer(keychain, options)
        let first = try Self.held(server, keychain)
        do {
            let late = try RawConnection.greeted(server.location)
            try late.send(.command(1, .items(Self.addition("late"))))
            #expect(eventually("it was read") { late.isRead })
        }
        keychain.open()
        #expect(try first.message() == .reply(1, .answer(.nothing)))
        let last = try RawConnection.greeted(server.location)
        try last.send(.command(1, .items(Self.addition("last"))))
        #expect(try last.message() == .reply(1, .answer(.nothing)))
        #expect(keychain.counts == ["first": 1, "last": 1])
    }

    @Test("a command that waits for others of its process hears that it is alive, and what may end those does not wait")
    func waiting() throws {
        let keychain = CountingKeychain()
        keychain.close()
        var options = ServerOptions()
        options.maximumCallsPerProcess = 1
        options.tickMilliseconds = 20
        options.workingMilliseconds = 100
        let server = try TestServer(keychain, options)
        let first = try Self.held(server, keychain)
        defer { withExtendedLifetime(first) {} }
        let second = try RawConnection.greeted(server.location)
        try second.send(.command(7, .items(Self.addition("second"))))
        #expect(try second.message() == .working(7))
        let urgent = try RawConnection.greeted(server.location)
        try urgent.send(.command(1, .device(.lock)))
        #expect(try urgent.message() == .reply(1, .done))
        #expect(keychain.held == 1 && keychain.counts.isEmpty)
        keychain.open()
        var message = try second.message()
        while message == .working(7) { message = try second.message() }
        #expect(message == .reply(7, .answer(.nothing)))
    }

    @Test("a daemon that ends gives back a command that waits")
    func goodbyeWhileWaiting() throws {
        let keychain = CountingKeychain()
        keychain.close()
        var options = ServerOptions()
        options.maximumCallsPerProcess = 1
        let server = try TestServer(keychain, options)
        let first = try Self.held(server, keychain)
        defer { withExtendedLifetime(first) {} }
        let second = try RawConnection.greeted(server.location)
        try second.send(.command(7, .items(Self.addition("second"))))
        #expect(eventually("it was read") { second.isRead })
        let stopped = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            server.stop()
            stopped.signal()
        }
        #expect(try second.message() == .goodbye(6))
        keychain.open()
        stopped.wait()
        #expect(keychain.counts == ["first": 1])
    }

    private static func addition(_ name: String) -> KeychainRequest {
        KeychainRequest(.add(["acct": .string(name)]), client: Client(accessGroups: []))
    }
}

/// Lets everybody in, and takes them for others once they were looked at so often.
private final class ChangingAdmission: Admission {
    private let keychain: CountingKeychain
    private let confirmations: Int

    init(_ keychain: CountingKeychain, confirmations: Int) {
        self.keychain = keychain
        self.confirmations = confirmations
    }

    func admit(_ socket: Int32) throws(KeychainError) -> any ConnectedPeer { Peer(keychain, confirmations) }

    private final class Peer: ConnectedPeer {
        let process = ProcessInstance(identifier: 1, startTime: 1)
        let backend: any KeychainBackend
        let vouchesForBiometry = false
        private let left: Mutex<Int>

        init(_ backend: any KeychainBackend, _ confirmations: Int) {
            self.backend = backend
            left = Mutex(confirmations)
        }

        func permitted(_ command: KeychainCommand) throws(KeychainError) -> KeychainCommand { command }

        func confirm() throws(KeychainError) {
            let isConfirmed = left.withLock { left in
                left -= 1
                return left >= 0
            }
            guard isConfirmed else { throw KeychainError(.missingEntitlement, "it is another one") }
        }
    }
}
