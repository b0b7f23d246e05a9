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

/// Programs that send or read slowly, or not at all: nobody else waits for them.
@Suite(.timeLimit(.minutes(10)))
struct SlowProgramTests {
    private let clock = ManualClock()

    @Test("half a greeting, half a header and half a message are waited for no longer than allowed", arguments: 0...4)
    func halfFrames(_ row: Int) throws {
        let server = try TestServer(CountingKeychain(), clock: clock)
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
        let begin = clock.milliseconds
        #expect(try clock.advancingContinuously { try connection.isEnded() })
        #expect(clock.milliseconds - begin >= ServerOptions().messageMilliseconds)
        try client.add("after")
    }

    @Test("a connection that has greeted and says nothing stays")
    func idle() throws {
        let server = try TestServer(CountingKeychain(), clock: clock)
        let connection = try RawConnection.greeted(server.location)
        // A later one that stops within a message ends: by then the time of a message has passed for both.
        let other = try RawConnection.greeted(server.location)
        other.send([0])
        #expect(try clock.advancingContinuously { try other.isEnded() })
        try connection.send(.command(1, .device(.lock)))
        #expect(try connection.message() == .reply(1, .done))
    }

    @Test("a keychain that does not release the contexts of one process holds up no timeout of another")
    func slowRelease() throws {
        let keychain = StuckKeychain()
        let server = try TestServer(admission: NumberedAdmission(keychain), clock: clock)
        func begun() throws -> RawConnection {
            let connection = try RawConnection.greeted(server.location)
            try connection.send(.command(1, .authentication(.check(.deviceOwner, AuthenticationContext()))))
            _ = try connection.message()
            connection.send([0, 0, 0])
            return connection
        }
        let first = try begun()
        #expect(try clock.advancingContinuously { try first.isEnded() })
        #expect(eventually("its context is being released") { keychain.isStuck })
        let second = try begun()
        #expect(try clock.advancingContinuously { try second.isEnded() })
        keychain.end()
        #expect(eventually("both are released") { keychain.releasedCount == 2 })
    }

    @Test(
        "a thousand programs that do not read their answers hold up nobody, and little memory",
        .enabled(
            if: SlowProgramTests.hasRoom(forDescriptors: 2 * SlowProgramTests.slowReaderCount + 200),
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
        options.maximumConnectionsPerProcess = count + 10
        options.maximumCallsPerProcess = count
        options.maximumBufferedBytes = megabytesOfUser == 64 ? 1 << 30 : 64 << 20
        options.maximumBufferedBytesPerProcess = 1 << 30
        options.maximumBufferedBytesPerUser = megabytesOfUser << 20
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
        let server = try TestServer(keychain, clock: clock)
        let reader = try RawConnection.greeted(server.location)
        try reader.send(.command(1, .items(KeychainRequest(.copyMatching([:]), client: Client(accessGroups: [])))))
        #expect(eventually("the command was read") { reader.isRead })
        #expect(clock.advancingContinuously { eventually("it is ended") { server.connectionCount == 0 } })
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
