// SPDX-License-Identifier: Apache-2.0

import KeychainClient
import KeychainCore
import KeychainServer
import KeychainTestSupport
import KeychainWire
import ServerTestSupport
import Testing

/// Programs and daemons of other releases: the highest version of the protocol that both speak is used, and without one
/// the error has both ranges.
@Suite(.timeLimit(.minutes(10)))
struct ProtocolRangeTests {
    private static func server(_ versions: ClosedRange<UInt16>) throws -> TestServer {
        var options = ServerOptions()
        options.versions = versions
        let status = StoreStatus(file: .base)
        let keychain = FakeKeychain { (_) throws(KeychainError) in
            .nothing
        } maintenance: { (command) throws(KeychainError) in
            guard case .storeStatus = command else { throw .unexpectedReply }
            return .storeStatus(status)
        }
        return try TestServer(keychain, options)
    }

    private static func client(_ server: TestServer, _ versions: ClosedRange<UInt16>) -> DaemonKeychain {
        var options = ClientOptions()
        options.versions = versions
        return server.client(options: options)
    }

    private static let copy = KeychainRequest(.copyMatching([:]), client: Client(accessGroups: ["a"]))

    @Test(
        "a program and a daemon of other ranges that have a version in common work together",
        arguments: [(1...1, 1...2), (1...2, 1...1), (1...2, 1...2), (1...9, 1...2), (2...5, 1...3), (1...2, 2...7)]
            as [(ClosedRange<UInt16>, ClosedRange<UInt16>)]
    )
    func common(_ program: ClosedRange<UInt16>, _ daemon: ClosedRange<UInt16>) throws {
        let server = try Self.server(daemon)
        #expect(try Self.client(server, program).perform(Self.copy) == .nothing)
    }

    @Test("a command of a later version is sent to no daemon without it, and the error says what to do")
    func laterCommand() throws {
        let server = try Self.server(1...1)
        let client = Self.client(server, 1...2)
        let error = #expect(throws: KeychainError.self) { try client.maintenance.storeStatus() }
        #expect(error?.status == .notAvailable && error?.kind == .unavailable)
        for text in ["'store status' needs version 2", "speaks version 1", "keychainctl service restart"] {
            #expect(error?.reason.contains(text) ?? false, "\(error?.reason ?? "")")
        }
        // The connection goes on.
        #expect(try client.perform(Self.copy) == .nothing)
        let later = try Self.server(1...2)
        #expect(try Self.client(later, 1...2).maintenance.storeStatus().file == .base)
        #expect(throws: KeychainError.self) { try Self.client(later, 1...1).maintenance.storeStatus() }
    }

    @Test("a program that sends a command of a later version than was agreed on is cut off")
    func undeclaredCommand() throws {
        let server = try Self.server(1...2)
        let connection = try RawConnection(server.location)
        connection.sendAlone(ClientGreeting(1...1).bytes)
        _ = try connection.receive(Greeting.byteCount)
        try connection.send(.command(1, .maintenance(.storeStatus)))
        guard case .failure(0, _)? = try connection.message() else {
            Issue.record("the command was carried out")
            return
        }
        #expect(try connection.isEnded())
    }

    @Test(
        "without a version in common nothing is sent, and the error has both ranges and what to do",
        arguments: [
            (3...4, 1...2, "older", "1 to 2", "3 to 4", "service restart"),
            (1...2, 5...7, "newer", "5 to 7", "1 to 2", "update the program"),
            (1...1, 2...2, "newer", "version 2 ", "program 1;", "update the program"),
        ] as [(ClosedRange<UInt16>, ClosedRange<UInt16>, String, String, String, String)]
    )
    func noCommon(
        program: ClosedRange<UInt16>,
        daemon: ClosedRange<UInt16>,
        age: String,
        theirs: String,
        own: String,
        remedy: String
    ) throws {
        let server = try Self.server(daemon)
        let error = #expect(throws: KeychainError.self) { try Self.client(server, program).perform(Self.copy) }
        #expect(error?.status == .notAvailable && error?.kind == .unavailable)
        for text in [age, theirs, own, remedy] {
            #expect(error?.reason.contains(text) ?? false, "\(text): \(error?.reason ?? "")")
        }
    }
}
