// SPDX-License-Identifier: Apache-2.0

import CKeychainSupport
import Dispatch
import Glibc
import KeychainCore
import KeychainTestSupport
import KeychainWire
import ServerTestSupport
import Synchronization
import Testing

@testable import KeychainServer

/// A program passes descriptors whose last close sleeps: only that program waits.
///
/// The tests run one after another. A process that closes the sockets of one has copies of all descriptors meanwhile,
/// and would wait where it makes the last close of another's.
@Suite(.serialized, .timeLimit(.minutes(10)))
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
    private static let count = 8 * ServerOptions().maximumSleepingCallsPerProcess

    @Test("a descriptor that sleeps when it is closed holds up nobody else, and no timeout", arguments: Moment.allCases)
    func lingering(_ moment: Moment) throws {
        var options = ServerOptions()
        options.stopMilliseconds = 1_000
        let admission = NumberedAdmission(CountingKeychain())
        let clock = ManualClock()
        let server = try TestServer(admission: admission, options, clock: clock)
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
        #expect(try clock.advancingContinuously { try slow.isEnded() })
        #expect(try server.client().device.status().lockState == .unlocked)
        server.stop()
        withExtendedLifetime((attackers, sockets)) {}
    }

    @Test("a connection that waits for a close of the same program is watched again once that is over")
    func receivingAfterClose() throws {
        var options = ServerOptions()
        options.maximumSleepingCallsPerProcess = 1
        let peer = try NumberedAdmission(CountingKeychain()).admit(-1)
        let process = try ProcessTable(options).join(peer, of: 0)
        let connection = Connection(
            -1,
            number: 1,
            user: 0,
            sender: 1,
            process: process,
            peer: peer,
            folder: nil,
            versions: ProtocolVersion.supported,
            tick: 1,
            close: { _ in }
        )
        let (socket, other) = try Self.pair()
        defer { close(other) }
        #expect(keychain_send_with(other, STDERR_FILENO, [1], 1) == 1)
        let sleep = DispatchSemaphore(value: 0)
        let calls = SleepingCalls(options) { socket in
            sleep.wait()
            return close(socket) == 0
        }
        let next = Mutex<[Connection]?>(nil)
        calls.close(
            socket,
            of: process.share,
            isOpen: {},
            isClosed: { waiting in next.withLock { $0 = waiting } }
        )
        #expect(!calls.beginReceiving(connection))
        #expect(calls.dequeueReady().isEmpty)
        sleep.signal()
        let isClosed = eventually("the socket is closed") { next.withLock { $0 != nil } }
        #expect(isClosed)
        #expect(next.withLock { $0?.first } === connection)
        #expect(calls.isEmpty)
    }

    /// Otherwise those of a user who has reached a limit, and connects and leaves, would remain open without a limit.
    @Test("sockets with descriptors that nobody received are closed, however long the last close of those sleeps")
    func closedAtOnce() throws {
        let calls = SleepingCalls(.systemService)
        let share = ConnectedProcess.Share(1, as: 1)
        let sockets = try LingeringSockets()
        let isOpen = Mutex(0)
        let count = 4 * ServerOptions.systemService.maximumSleepingCallsPerUser
        for _ in 0..<count {
            let (socket, other) = try Self.pair()
            try sockets.with { Self.pass($0, to: other) }
            calls.close(
                socket,
                of: share,
                isOpen: { isOpen.withLock { $0 += 1 } },
                isClosed: { _ in isOpen.withLock { $0 -= 1 } }
            )
        }
        let areClosed = eventually("all are closed") { calls.isEmpty }
        #expect(areClosed)
        #expect(isOpen.withLock(\.self) == 0)
        withExtendedLifetime(sockets) {}
    }

    @Test("a socket for whose close no process can be started stays open, counts, and is closed later")
    func closedLater() throws {
        let tries = Mutex(0)
        let calls = SleepingCalls(.systemService) { socket in
            guard
                tries.withLock({ tries in
                    tries += 1
                    return tries > 1
                })
            else { return false }
            return close(socket) == 0
        }
        let (socket, other) = try Self.pair()
        defer { close(other) }
        #expect(keychain_send_with(other, STDERR_FILENO, [1], 1) == 1)
        let isOpen = Mutex(false)
        calls.close(
            socket,
            of: ConnectedProcess.Share(1, as: 1),
            isOpen: { isOpen.withLock { $0 = true } },
            isClosed: { _ in isOpen.withLock { $0 = false } }
        )
        #expect(eventually("it was tried") { tries.withLock(\.self) == 1 })
        #expect(isOpen.withLock(\.self) && !calls.isEmpty)
        #expect(fcntl(socket, F_GETFD) >= 0)
        let isClosed = eventually("it is closed") {
            calls.closeNext()
            return calls.isEmpty
        }
        #expect(isClosed && !isOpen.withLock(\.self) && tries.withLock(\.self) == 2)
    }

    @Test("the descriptor that a program passes is inherited by no program that is executed meanwhile")
    func closedOnExec() {
        let descriptor = keychain_event()
        defer { close(descriptor) }
        #expect(fcntl(descriptor, F_GETFD) & FD_CLOEXEC != 0)
    }

    /// A connected socket as the server has it, and the other side's.
    private static func pair() throws -> (Int32, Int32) {
        var ends: [Int32] = [-1, -1]
        try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
        #expect(keychain_name_senders(ends[0]) == 0)
        return (ends[0], ends[1])
    }

    /// Passes a descriptor on, so that nobody else has it.
    private static func pass(_ descriptor: Int32, to socket: Int32) -> Bool {
        // The other side's end is closed with the descriptor, which is a copy of it then.
        defer { close(socket) }
        return keychain_send_with(socket, descriptor, [1], 1) == 1 && dup2(socket, descriptor) == descriptor
    }

    @Test("a program that closes with something unread has passed no descriptor by that", arguments: [false, true])
    func reset(_ passes: Bool) throws {
        let (socket, other) = try Self.pair()
        defer { close(socket) }
        #expect(keychain_send(socket, [1], 1) == 1)
        if passes { #expect(keychain_send_with(other, STDERR_FILENO, [2], 1) == 1) }
        close(other)
        shutdown(socket, Int32(SHUT_RDWR))
        #expect(keychain_discard(socket) == !passes)
    }
}
