// SPDX-License-Identifier: Apache-2.0

import CKeychainSupport
import Glibc
import KeychainCore
import KeychainTestSupport
import KeychainWire
import ServerTestSupport
import Synchronization
import Testing

@testable import KeychainServer

/// A program passes descriptors whose last close sleeps: only that program waits.
@Suite(.timeLimit(.minutes(10)))
struct PassedDescriptorTests {
    /// What the descriptor comes with.
    enum Moment: Sendable, CaseIterable {
        case greeting
        case firstMessage
        /// A message that is not read, because another one before it has ended the connection.
        case notRead
    }

    private static func status() throws -> [UInt8] {
        try WireMessage.command(1, .device(.status)).encoded().unprotectedCopy
    }

    /// More connections of one process than it may have sleep at the same time.
    private static let count = 8 * ServerOptions().mostSleepingCallsOfProcess

    @Test("a descriptor that sleeps when it is closed holds up nobody else, and no timeout", arguments: Moment.allCases)
    func lingering(_ moment: Moment) throws {
        var options = ServerOptions()
        options.tickMilliseconds = 10
        options.messageMilliseconds = 3_000
        options.stopMilliseconds = 1_000
        let admission = NumberedAdmission(CountingKeychain())
        let server = try TestServer(admission: admission, options)
        // Before the server ends, so that nobody sleeps for ten minutes.
        let sockets = try LingeringSockets()
        admission.isOneProcess = true
        let attackers = try (0..<Self.count).map { _ in
            try moment == .greeting ? RawConnection(server.location) : .greeted(server.location)
        }
        let bytes = try moment == .greeting ? ClientGreeting().bytes : Self.status()
        for attacker in attackers {
            // A message that is too long ends the connection, if that is read before the next one comes or not.
            if moment == .notRead { attacker.sendAlone([0xff, 0xff, 0xff, 0xff]) }
            try sockets.with { attacker.send(bytes, passing: $0) > 0 }
        }
        admission.isOneProcess = false
        #expect(try server.client().device.status().lockState == .unlocked)
        // The time of others is over in time.
        let slow = try RawConnection.greeted(server.location)
        slow.send([0])
        #expect(try slow.isEnded())
        #expect(try server.client().device.status().lockState == .unlocked)
        server.stop()
        withExtendedLifetime((attackers, sockets)) {}
    }

    @Test("a connection that waits for a close of the same program is watched again once that is over")
    func receivingAfterClose() throws {
        var options = ServerOptions()
        options.mostSleepingCallsOfProcess = 1
        let peer = try NumberedAdmission(CountingKeychain()).admit(-1)
        let process = try ProcessTable(options).join(peer, of: 0)
        let connection = Connection(
            -1,
            number: 1,
            user: 0,
            sender: 1,
            process: process,
            peer: peer,
            tick: 1,
            close: { _ in }
        )
        var ends: [Int32] = [-1, -1]
        try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
        let (socket, other) = (ends[0], ends[1])
        defer { close(other) }
        #expect(keychain_name_senders(socket) == 0)
        var sockets: LingeringSockets? = try LingeringSockets()
        try sockets?.with { descriptor in
            // Then only the socket has it, and so its close sleeps.
            keychain_send_with(other, descriptor, [1], 1) == 1 && dup2(other, descriptor) == descriptor
        }
        let calls = SleepingCalls(options)
        let next = Mutex<[Connection]?>(nil)
        calls.close(
            socket,
            of: process.share,
            isOpen: {},
            isClosed: { waiting in next.withLock { $0 = waiting } }
        )
        #expect(!calls.beginReceiving(connection))
        #expect(calls.takeWaiting().isEmpty)
        sockets = nil
        let isClosed = eventually("the socket is closed") { next.withLock { $0 != nil } }
        #expect(isClosed)
        #expect(next.withLock { $0?.first } === connection)
        #expect(calls.isEmpty)
    }

    @Test("a program that closes with something unread has passed no descriptor by that", arguments: [false, true])
    func reset(_ passes: Bool) throws {
        var ends: [Int32] = [-1, -1]
        try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
        defer { close(ends[0]) }
        #expect(keychain_name_senders(ends[0]) == 0)
        #expect(keychain_send(ends[0], [1], 1) == 1)
        if passes { #expect(keychain_send_with(ends[1], STDERR_FILENO, [2], 1) == 1) }
        close(ends[1])
        shutdown(ends[0], Int32(SHUT_RDWR))
        #expect(keychain_discard(ends[0]) == !passes)
    }
}
