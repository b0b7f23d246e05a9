// SPDX-License-Identifier: Apache-2.0

import Glibc
import KeychainCore
import KeychainServer
import KeychainTestSupport
import KeychainWire
import ServerTestSupport
import Testing

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
}
