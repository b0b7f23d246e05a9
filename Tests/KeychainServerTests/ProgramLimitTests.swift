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

/// The limits on what a program may have the daemon keep and do.
@Suite(.timeLimit(.minutes(10)))
struct ProgramLimitTests {
    @Test("more connections than are allowed are refused in words, and taken again when others have gone")
    func flood() throws {
        var options = ServerOptions()
        options.maximumConnections = 20
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
        options.maximumConnections = 20
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
        let idleCount = options.maximumIdleConnections - 1
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
        options.maximumConnectionsPerProcess = 5
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
        options.maximumBufferedBytesPerProcess = frame.count
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
        options.maximumBufferedBytesPerProcess = 5 << 19
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
        options.maximumBufferedBytesPerUser = 3 << 19
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
}
