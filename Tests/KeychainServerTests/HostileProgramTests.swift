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

/// What a program may send to the daemon's socket: it harms nobody but itself.
@Suite(.timeLimit(.minutes(10)))
struct HostileProgramTests {
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
        // No version is chosen, and the highest and the lowest that the server supports are told.
        let highest = UInt8(ProtocolVersion.supported.upperBound)
        let noCommonVersion = Array("swiftkc".utf8) + [0xff, 0, 0, 0, highest, 0, 0, 0, 1]
        let unknownCase = try? WireMessage.failure(0, KeychainError(WireError.unknownCase)).encoded().unprotectedCopy
        return [
            Bytes(testDescription: "text", greets: false, bytes: Array("GET / HTTP/1.1\r\n\r\n".utf8)),
            Bytes(testDescription: "zeros", greets: false, bytes: [UInt8](repeating: 0, count: 4096)),
            Bytes(
                testDescription: "a version of the future alone",
                greets: false,
                bytes: ClientGreeting(9...9).bytes,
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

    @Test("what comes before a greeting is no greeting, not even a whole command, and is refused")
    func withoutGreeting() throws {
        let keychain = CountingKeychain()
        let server = try TestServer(keychain)
        let command = try WireMessage.command(1, .device(.lock)).encoded().unprotectedCopy
        var other = ClientGreeting().bytes
        other[0] ^= 1
        for bytes in [command + command, other, [UInt8](repeating: 0, count: Greeting.byteCount)] {
            let connection = try RawConnection(server.location)
            connection.sendAlone(bytes)
            let start = try connection.receive(8)
            #expect(start != Array(ServerGreeting.beforeGreeting().bytes.prefix(8)), "it is not greeted")
            #expect(try connection.isEnded())
        }
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
}
