// SPDX-License-Identifier: Apache-2.0

import CKeychainSupport
import Foundation
import KeychainClient
import KeychainCore
import KeychainServer
import KeychainTestSupport
import KeychainWire
import ServerTestSupport
import Synchronization
import Testing

/// What a program may do to the daemon's socket: it harms nobody but itself.
@Suite(.timeLimit(.minutes(10)))
struct HostileProgramTests {
    /// A server that soon ends a connection whose message is incomplete, but not before a test could send it, even on a
    /// busy machine.
    private static func impatient() -> ServerOptions {
        var options = ServerOptions()
        options.tickMilliseconds = 10
        options.messageMilliseconds = 3_000
        return options
    }

    struct Bytes: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var greets = true
        var bytes: [UInt8]
        /// What the server says before it ends the connection, where that is not left to it.
        var answer: [UInt8] = []
    }

    private static func frame(_ body: [UInt8]) -> [UInt8] {
        withUnsafeBytes(of: UInt32(body.count).bigEndian) { Array($0) } + body
    }

    private static let badBytes: [Bytes] = {
        let number = [UInt8](repeating: 0, count: 8)
        // No version is chosen, and the highest that the server supports is told.
        let noCommonVersion = Array("swiftkc".utf8) + [0xff, 0, 0, 0, WireMessage.version, 0, 0, 0, 0]
        let unknownCase = try? WireMessage.failure(0, KeychainError(WireError.unknownCase)).encoded().unprotectedCopy
        return [
            Bytes(testDescription: "text", greets: false, bytes: Array("GET / HTTP/1.1\r\n\r\n".utf8)),
            Bytes(testDescription: "zeros", greets: false, bytes: [UInt8](repeating: 0, count: 4096)),
            Bytes(
                testDescription: "a version of the future alone",
                greets: false,
                bytes: ClientGreeting(lowestVersion: 9, highestVersion: 9).bytes,
                answer: noCommonVersion
            ),
            Bytes(
                testDescription: "a greeting and a command at once",
                greets: false,
                bytes: ClientGreeting().bytes + frame([1, 1])
            ),
            Bytes(testDescription: "a frame of four gigabytes", bytes: [0xff, 0xff, 0xff, 0xff]),
            Bytes(testDescription: "a frame of 64 MiB and a byte", bytes: [0x04, 0, 0, 1]),
            Bytes(testDescription: "an empty frame", bytes: [0, 0, 0, 0]),
            Bytes(testDescription: "another version of the encoding", bytes: frame([9, 1] + number)),
            Bytes(testDescription: "an unknown message", bytes: frame([1, 99] + number)),
            Bytes(testDescription: "a command of the number 0", bytes: frame([1, 1] + number + [2, 1, 0])),
            Bytes(testDescription: "a reply", bytes: frame([1, 2] + number + [1])),
            Bytes(
                testDescription: "a reply, which only a server sends: its values are not read",
                bytes: frame([1, 2]),
                answer: unknownCase ?? []
            ),
            Bytes(testDescription: "an answer to no question", bytes: frame([1, 6] + number + [6])),
            Bytes(testDescription: "a goodbye", bytes: frame([1, 10] + number)),
            Bytes(
                testDescription: "bytes behind a command",
                bytes: frame([1, 1, 0, 0, 0, 0, 0, 0, 0, 1, 2, 1, 0]) + [0]
            ),
        ]
    }()

    @Test("what is no message ends the connection that it came on, and no other", arguments: badBytes)
    func noMessage(_ row: Bytes) throws {
        let keychain = CountingKeychain()
        let server = try TestServer(keychain)
        let client = server.client()
        try client.add("before")
        let connection = try row.greets ? RawConnection.greeted(server.location) : RawConnection(server.location)
        connection.send(row.bytes)
        #expect(try connection.receive(row.answer.count) == row.answer)
        #expect(try connection.isEnded())
        try client.add("after")
        #expect(keychain.counts == ["before": 1, "after": 1])
        #expect(eventually("it is forgotten") { server.connectionCount == 1 })
    }

    @Test("what another process writes to a connection, which it was left or given, ends it", arguments: [true, false])
    func otherSender(_ greets: Bool) throws {
        let keychain = CountingKeychain()
        let server = try TestServer(keychain)
        let add = KeychainRequest(.add(["acct": .string("a")]), client: Client(accessGroups: []))
        let command = try WireMessage.command(1, .items(add)).encoded().unprotectedCopy
        let folder = try TemporaryFolder(prefix: "kd")
        try Data(greets ? command : ClientGreeting().bytes).write(to: URL(fileURLWithPath: folder.path(of: "bytes")))
        let connection = try greets ? RawConnection.greeted(server.location) : RawConnection(server.location)
        let other = Process()
        other.executableURL = URL(fileURLWithPath: "/bin/cat")
        other.arguments = [folder.path(of: "bytes")]
        other.standardOutput = FileHandle(fileDescriptor: connection.socket, closeOnDealloc: false)
        try other.run()
        other.waitUntilExit()
        guard greets else {
            #expect(try connection.isEnded())
            return
        }
        try expectRefusal(connection)
        #expect(keychain.counts.isEmpty)
    }

    private func expectRefusal(_ connection: RawConnection) throws {
        guard case .failure(0, let error)? = try connection.message() else {
            Issue.record("the reason was not sent")
            return
        }
        #expect(error.status == .missingEntitlement)
        #expect(try connection.isEnded())
    }

    @Test("a first command without a descriptor, as a program writes that copies its input to its output, ends it")
    func copiedBytes() throws {
        let keychain = CountingKeychain()
        let server = try TestServer(keychain)
        let connection = try RawConnection.greeted(server.location)
        let add = KeychainRequest(.add(["acct": .string("a")]), client: Client(accessGroups: []))
        connection.sendAlone(try WireMessage.command(1, .items(add)).encoded().unprotectedCopy)
        try expectRefusal(connection)
        #expect(keychain.counts.isEmpty)
    }

    @Test("later commands need no descriptor")
    func laterCommands() throws {
        let keychain = CountingKeychain()
        let server = try TestServer(keychain)
        let connection = try RawConnection.greeted(server.location)
        let add = KeychainRequest(.add(["acct": .string("a")]), client: Client(accessGroups: []))
        try connection.send(.command(1, .items(add)))
        #expect(try connection.message() == .reply(1, .answer(.nothing)))
        connection.sendAlone(try WireMessage.command(2, .items(add)).encoded().unprotectedCopy)
        #expect(try connection.message() == .reply(2, .answer(.nothing)))
        #expect(keychain.counts == ["a": 2])
    }

    @Test(
        "a program that has connected and greeted before the server was there is served, as one that it is started for"
    )
    func earlyProgram() throws {
        let folder = try TemporaryFolder(prefix: "kd")
        let location = SocketLocation(path: folder.path(of: "s"))
        let socket = try ListeningSocket(location)
        let connection = try RawConnection(location)
        connection.send(ClientGreeting().bytes)
        let keychain = CountingKeychain()
        let server = try KeychainServer(sockets: [socket.descriptor], admission: OpenAdmission(keychain))
        let ended = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            server.run()
            ended.signal()
        }
        defer {
            server.stop()
            ended.wait()
        }
        #expect(try connection.receive(Greeting.byteCount) == ServerGreeting(to: ClientGreeting()).bytes)
        try connection.send(
            .command(1, .items(KeychainRequest(.add(["acct": .string("a")]), client: Client(accessGroups: []))))
        )
        #expect(try connection.message() == .reply(1, .answer(.nothing)))
        #expect(keychain.counts == ["a": 1])
    }

    @Test("the same number twice is no second command")
    func repeatedNumber() throws {
        let keychain = CountingKeychain()
        let server = try TestServer(keychain)
        let connection = try RawConnection.greeted(server.location)
        let add = KeychainRequest(.add(["acct": .string("a")]), client: Client(accessGroups: []))
        try connection.send(.command(5, .items(add)))
        #expect(try connection.message() == .reply(5, .answer(.nothing)))
        try connection.send(.command(5, .items(add)))
        #expect(try connection.isEnded())
        #expect(keychain.counts == ["a": 1])
    }

    @Test("half a greeting, half a header and half a message are waited for no longer than allowed", arguments: 0...4)
    func halfFrames(_ row: Int) throws {
        let server = try TestServer(CountingKeychain(), Self.impatient())
        let client = server.client()
        try client.add("before")
        let command = try WireMessage.command(1, .device(.status)).encoded().unprotectedCopy
        let connection: RawConnection
        switch row {
        case 0: connection = try RawConnection(server.location)
        case 1:
            connection = try RawConnection(server.location)
            connection.send(Array(ClientGreeting().bytes.dropLast()))
        case 2:
            connection = try RawConnection.greeted(server.location)
            connection.send(Array(command.prefix(2)))
        case 3:
            connection = try RawConnection.greeted(server.location)
            connection.send(Array(command.dropLast()))
        default:
            connection = try RawConnection.greeted(server.location)
            // As long as is allowed, and a part of it.
            connection.send([0x04, 0, 0, 0] + [UInt8](repeating: 1, count: 100_000))
        }
        #expect(try connection.isEnded())
        try client.add("after")
    }

    @Test("a connection that has greeted and says nothing stays")
    func idle() throws {
        let server = try TestServer(CountingKeychain(), Self.impatient())
        let connection = try RawConnection.greeted(server.location)
        // A later one that stops within a message ends: by then the time of a message has passed for both.
        let other = try RawConnection.greeted(server.location)
        other.send([0])
        #expect(try other.isEnded())
        try connection.send(.command(1, .device(.lock)))
        #expect(try connection.message() == .reply(1, .done))
    }

    @Test("more connections than are allowed are refused in words, and taken again when others have gone")
    func flood() throws {
        var options = ServerOptions()
        options.mostConnections = 20
        let server = try TestServer(CountingKeychain(), options)
        // Each has begun to say something.
        var connections = try (0..<20).map { _ in try RawConnection.greeted(server.location) }
        for connection in connections { connection.send([0]) }
        #expect(eventually("that is read") { connections.allSatisfy(\.isRead) })
        let error = #expect(throws: KeychainError.self) { try server.client().add("a") }
        #expect(error?.status == .notAvailable)
        #expect(error?.reason.contains("limit of connections") == true)
        connections.removeAll()
        #expect(eventually("they are forgotten") { server.connectionCount == 0 })
        try server.client().add("a")
    }

    @Test("where there are as many connections as may be, the one goes that was idle for longest; it is told so")
    func idleFlood() throws {
        var options = ServerOptions()
        options.mostConnections = 20
        let server = try TestServer(CountingKeychain(), options)
        let connections = try (0..<20).map { _ in try RawConnection.greeted(server.location) }
        let client = server.client()
        try client.add("a")
        let ended = connections.filter { !SocketReadiness.wait(for: .readable, of: $0.socket, milliseconds: 0).isEmpty }
        #expect(ended.count == 1)
        #expect(try ended.first?.message() == .goodbye(0))
        #expect(server.connectionCount == 20)
        // With that of the client, the program has as few idle ones now as it keeps: the next connection is refused.
        let kept = connections.filter { $0 !== ended.first }
        let idleCount = options.mostIdleConnections - 1
        for connection in kept.dropFirst(idleCount) { connection.send([0]) }
        #expect(eventually("that is read") { kept.allSatisfy(\.isRead) })
        let error = #expect(throws: KeychainError.self) { try server.client().add("b") }
        #expect(error?.reason.contains("limit of connections") == true, "\(String(describing: error))")
        for connection in kept.prefix(idleCount) {
            try connection.send(.command(1, .device(.lock)))
            #expect(try connection.message() == .reply(1, .done))
        }
    }

    @Test("a process takes no more connections than its share")
    func floodOfProcess() throws {
        var options = ServerOptions()
        options.mostConnectionsOfProcess = 5
        let server = try TestServer(CountingKeychain(), options)
        let connections = try (0..<5).map { _ in try RawConnection.greeted(server.location) }
        let error = #expect(throws: KeychainError.self) { try server.client().add("a") }
        #expect(error?.reason.contains("of this process") == true)
        #expect(connections.count == 5)
    }

    @Test("a small command is executed although others of its process have used up the memory for messages")
    func smallCommand() throws {
        let keychain = CountingKeychain()
        keychain.close()
        let add = KeychainRequest(
            .add(["acct": .string(String(repeating: "x", count: 1 << 20))]),
            client: Client(accessGroups: [])
        )
        let frame = try WireMessage.command(1, .items(add)).encoded().unprotectedCopy
        var options = ServerOptions()
        options.mostBufferedBytesOfProcess = frame.count
        let server = try TestServer(keychain, options)
        let held = try RawConnection.greeted(server.location)
        held.sendAll(frame)
        #expect(eventually("it is held") { keychain.held == 1 })
        let refused = try RawConnection.greeted(server.location)
        refused.sendAll(frame)
        guard case .failure(0, _)? = try refused.message() else {
            Issue.record("it was not refused")
            return
        }
        let client = server.client()
        try client.device.lock()
        keychain.open()
        #expect(try held.message() == .reply(1, .answer(.nothing)))
    }

    @Test("what a process has sent and is not answered yet counts, and more than its share is refused in words")
    func floodOfBytes() throws {
        let keychain = CountingKeychain()
        keychain.close()
        var options = ServerOptions()
        options.mostBufferedBytesOfProcess = 5 << 19
        let server = try TestServer(keychain, options)
        let add = KeychainRequest(
            .add(["acct": .string(String(repeating: "x", count: 1 << 20))]),
            client: Client(accessGroups: [])
        )
        let frame = try WireMessage.command(1, .items(add)).encoded().unprotectedCopy
        let held = try (0..<2).map { _ in try RawConnection.greeted(server.location) }
        for (number, connection) in held.enumerated() {
            connection.sendAll(frame)
            #expect(eventually("it is held") { keychain.held == number + 1 })
        }
        let further = try RawConnection.greeted(server.location)
        further.sendAll(frame)
        guard case .failure(0, let error)? = try further.message() else {
            Issue.record("it was not refused")
            return
        }
        #expect(error.reason.contains("limit of buffered messages"))
        keychain.open()
        for connection in held { #expect(try connection.message() == .reply(1, .answer(.nothing))) }
    }

    @Test("a command whose program has hung up counts as its user's until it is executed, also for the next process")
    func hangUp() throws {
        let keychain = CountingKeychain()
        keychain.close()
        var options = ServerOptions()
        options.tickMilliseconds = 10
        options.mostBufferedBytesOfUser = 3 << 19
        let server = try TestServer(admission: NumberedAdmission(keychain), options)
        let request = KeychainRequest(
            .copyMatching(["acct": .string(String(repeating: "x", count: 1 << 20))]),
            client: Client(accessGroups: [])
        )
        let frame = try WireMessage.command(1, .items(request)).encoded().unprotectedCopy
        do {
            let gone = try RawConnection.greeted(server.location)
            gone.sendAll(frame)
            #expect(eventually("it is executed") { keychain.held == 1 })
        }
        #expect(eventually("its program is forgotten") { server.connectionCount == 0 })
        let next = try RawConnection.greeted(server.location)
        next.sendAll(frame)
        guard case .failure(0, let error)? = try next.message() else {
            Issue.record("it was not refused")
            return
        }
        #expect(error.reason.contains("limit of buffered messages"))
        keychain.open()
        #expect(eventually("it is executed to its end") { keychain.held == 0 })
        // Its thread has to return as well.
        #expect(
            eventually("there is room again") {
                guard let last = try? RawConnection.greeted(server.location) else { return false }
                last.sendAll(frame)
                guard case .reply? = try? last.message() else { return false }
                return true
            }
        )
    }

    @Test("texts in the reply to a command that failed have a limit, whoever made up the names in them")
    func longReason() throws {
        let keychain = CountingKeychain()
        let text = String(repeating: "x", count: 1 << 20)
        keychain.failure = KeychainError(.io, text, subject: text, facts: ["path": text])
        let server = try TestServer(keychain)
        let error = #expect(throws: KeychainError.self) { try server.client().read() }
        for text in [error?.reason, error?.subject, error?.facts["path"]] {
            #expect(text?.hasPrefix("xxx") == true && (text?.utf8.count ?? 0) < 17 << 10)
        }
    }

    @Test("a keychain that does not release the contexts of one process holds up no timeout of another")
    func slowRelease() throws {
        var options = ServerOptions()
        options.tickMilliseconds = 10
        options.messageMilliseconds = 1_000
        let keychain = StuckKeychain()
        let server = try TestServer(admission: NumberedAdmission(keychain), options)
        func begun() throws -> RawConnection {
            let connection = try RawConnection.greeted(server.location)
            try connection.send(.command(1, .authentication(.check(.deviceOwner, AuthenticationContext()))))
            _ = try connection.message()
            connection.send([0, 0, 0])
            return connection
        }
        let first = try begun()
        #expect(try first.isEnded())
        #expect(eventually("its context is being released") { keychain.isStuck })
        let second = try begun()
        #expect(try second.isEnded())
        keychain.end()
        #expect(eventually("both are released") { keychain.releasedCount == 2 })
    }

    @Test("a text or a password that a context would keep is refused when it is larger than anybody needs")
    func largeContext() throws {
        let server = try TestServer(CountingKeychain())
        let client = server.client()
        let text = String(repeating: "x", count: 4097)
        var reason = AuthenticationContext()
        reason.settings.localizedReason = text
        let password = AuthenticationContext(applicationPassword: SecretBytes(count: (64 << 10) + 1) { _ in })
        let commands: [KeychainCommand] = [
            .authentication(.evaluate(.policy(.deviceOwner), reason: text, AuthenticationContext())),
            .authentication(.check(.deviceOwner, reason)), .enclave(.use(.sign(digest: []), SecretBytes(), password)),
            .items(
                KeychainRequest(
                    .copyMatching([PropertyKey.useAuthenticationContext: .authenticationContext(reason)]),
                    client: Client(accessGroups: ["a"])
                )
            ),
        ]
        for command in commands {
            let error = #expect(throws: KeychainError.self) { try client.perform(command) }
            #expect(error?.status == .parameter)
        }
        reason.settings.localizedReason.removeLast()
        _ = try client.perform(.authentication(.check(.deviceOwner, reason)))
        #expect(server.connectionCount == 1)
    }

    @Test(
        "a thousand programs that do not read their answers hold up nobody, and little memory",
        .enabled(
            if: HostileProgramTests.hasRoom(forDescriptors: 2 * HostileProgramTests.slowReaderCount + 200),
            "this process may not have as many descriptors"
        ),
        arguments: [1024, 64]
    )
    func slowReaders(megabytesOfUser: Int) throws {
        let count = Self.slowReaderCount
        let keychain = CountingKeychain()
        keychain.answer = SecretBytes(count: 1 << 20) { _ in }
        var options = ServerOptions()
        options.tickMilliseconds = 10
        options.mostConnectionsOfProcess = count + 10
        options.mostCallsOfProcess = count
        options.mostBufferedBytes = megabytesOfUser == 64 ? 1 << 30 : 64 << 20
        options.mostBufferedBytesOfProcess = 1 << 30
        options.mostBufferedBytesOfUser = megabytesOfUser << 20
        options.answerMilliseconds = 600_000
        let server = try TestServer(keychain, options)
        let readers = try (0..<count).map { _ in try RawConnection.greeted(server.location) }
        let read = KeychainRequest(.copyMatching([:]), client: Client(accessGroups: []))
        for reader in readers { try reader.send(.command(1, .items(read))) }
        // Those whose answers found no room any more are ended, at 64 MiB at the latest.
        #expect(eventually("most are ended") { server.connectionCount < 100 })
        let client = server.client()
        #expect(try client.device.status().lockState == .unlocked)
    }

    @Test("a program that does not read its answer is not waited for beyond a time")
    func stoppedReader() throws {
        let keychain = CountingKeychain()
        keychain.answer = SecretBytes(count: 4 << 20) { _ in }
        var options = ServerOptions()
        options.tickMilliseconds = 10
        options.answerMilliseconds = 200
        let server = try TestServer(keychain, options)
        let reader = try RawConnection.greeted(server.location)
        try reader.send(.command(1, .items(KeychainRequest(.copyMatching([:]), client: Client(accessGroups: [])))))
        #expect(eventually("it is ended") { server.connectionCount == 0 })
        #expect(try server.client().device.status().lockState == .unlocked)
    }

    private static let slowReaderCount = 1000

    /// Whether this process may open so many files.
    private static func hasRoom(forDescriptors count: Int) -> Bool {
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(7), &limit)
        if limit.rlim_cur < count, limit.rlim_max >= count {
            limit.rlim_cur = min(limit.rlim_max, rlim_t(2 * count))
            setrlimit(__rlimit_resource_t(7), &limit)
        }
        return limit.rlim_cur >= count
    }
}

/// A keychain that does not come back from the release of a context.
private final class StuckKeychain: KeychainBackend {
    private let state = Mutex((isStuck: false, isOver: false, releasedCount: 0))

    var isStuck: Bool { state.withLock(\.isStuck) }

    var releasedCount: Int { state.withLock(\.releasedCount) }

    func end() { state.withLock { $0.isOver = true } }

    var families: CommandFamily { .all }

    func carryOut(_ command: KeychainCommand) throws(KeychainError) -> KeychainReply {
        guard case .authentication(.release) = command else { return .done }
        state.withLock { $0.isStuck = true }
        _ = eventually("it goes on") { self.state.withLock(\.isOver) }
        state.withLock { $0.releasedCount += 1 }
        return .done
    }
}
