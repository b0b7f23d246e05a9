// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainTestSupport
import MessageBus
import Testing

@testable import KeychainSecretService

/// The name of the error with which a call fails; `nil` if it does not.
func refusal(_ body: () throws -> Void) throws -> String? {
    do {
        try body()
        return nil
    } catch let error as BusError {
        return error.name
    }
}

/// Sessions, which belong to one connection.
@Suite(.timeLimit(.minutes(5)))
struct SessionTests {
    private let front: TestFront<LookupKeychain>

    init() throws { front = try TestFront() }

    @Test("a secret that was stored through one session is read through another, and both code it for themselves")
    func crossing() throws {
        let client = try front.client()
        let pair = try KeyPair()
        let (published, path) = try client.openSession(pair.published)
        #expect(published.count == 128)
        let coding = SecretCoding.encrypted(try pair.sharedKey(with: published))
        let plain = try client.openSession()
        let item = try client.store(["a": "b"], "open sesame", session: plain)
        let secret = try client.secret(item, session: path)
        #expect(secret.session == path)
        #expect(secret.coded.parameters.count == 16)
        #expect(try coding.decode(secret.coded) == SecretBytes(Array("open sesame".utf8)))
        let coded = try coding.encode(SecretBytes(Array("another".utf8)))
        try client.setSecret(item, SentSecret(session: path, coded: coded, contentType: "application/octet-stream"))
        let other = try client.secret(item, session: plain)
        #expect(other.coded.value == SecretBytes(Array("another".utf8)))
        #expect(other.coded.parameters.isEmpty)
        #expect(other.contentType == "application/octet-stream", "the content type is kept")
    }

    @Test("an algorithm that is not known is not supported, so that libsecret asks for another one")
    func unknownAlgorithm() throws {
        let client = try front.client()
        let error = try refusal {
            try client.send(TestClient.root, of: .service, calling: "OpenSession") { call throws(BusError) in
                try call.append("dh-ietf8192")
                try call.append("v", of: "s") { () throws(BusError) in try call.append("") }
            }
        }
        #expect(error == "org.freedesktop.DBus.Error.NotSupported")
    }

    @Test("a session of no valid key is refused", arguments: [[], [0], [1], [UInt8](repeating: 0xFF, count: 128)])
    func degenerateKey(_ key: [UInt8]) throws {
        let client = try front.client()
        let error = try refusal { _ = try client.openSession(key) }
        #expect(error == "org.freedesktop.DBus.Error.InvalidArgs")
    }

    @Test("a session cannot be used by another connection, nor closed, nor once it is closed")
    func foreignSession() throws {
        let (owner, other) = (try front.client(), try front.client())
        let session = try owner.openSession()
        let item = try owner.store(["a": "b"], "secret", session: session)
        let noSession = "org.freedesktop.Secret.Error.NoSession"
        #expect(try refusal { _ = try other.secret(item, session: session) } == noSession)
        #expect(try refusal { _ = try other.secrets([item], session: session) } == noSession)
        #expect(try refusal { _ = try other.store(["c": "d"], "x", session: session) } == noSession)
        #expect(try refusal { try other.setSecret(item, SentSecret(plain: "x", session: session)) } == noSession)
        #expect(try refusal { try other.send(session, of: .session, calling: "Close") } == noSession)
        #expect(try owner.secrets([item], session: session) == [item: Array("secret".utf8)])
        try owner.send(session, of: .session, calling: "Close")
        #expect(try refusal { _ = try owner.secret(item, session: session) } == noSession)
        #expect(try refusal { _ = try owner.secret(item, session: "/") } == noSession)
        #expect(front.keychain.count == 1)
    }

    @Test("a secret with wrong parameters or wrong padding stores nothing")
    func garbage() throws {
        let client = try front.client()
        let plain = try client.openSession()
        let item = try client.store(["a": "b"], "secret", session: plain)
        let (_, path) = try client.openSession(try KeyPair().published)
        for (parameters, value) in [(0, 16), (8, 16), (16, 15), (16, 0), (16, 16), (17, 16)] {
            let secret = SentSecret(
                session: path,
                coded: CodedSecret(
                    parameters: Array(repeating: 7, count: parameters),
                    value: SecretBytes(Array(repeating: 9, count: value))
                ),
                contentType: "text/plain"
            )
            let error = try refusal { try client.setSecret(item, secret) }
            // One of 256 blocks has valid padding by chance.
            #expect(error == "org.freedesktop.DBus.Error.InvalidArgs" || (parameters, value) == (16, 16))
        }
        #expect(try client.secrets([item], session: plain)[item] != nil)
    }

    @Test("the sessions of one connection are limited, and others are served")
    func limit() throws {
        var options = SecretServiceOptions()
        options.limits.sessions = (total: 100, ofProcess: 10, ofConnection: 3)
        let front = try TestFront(options)
        let (client, other) = (try front.client(), try front.client())
        let sessions = try (0..<3).map { _ in try client.openSession() }
        #expect(try refusal { _ = try client.openSession() } == "org.freedesktop.DBus.Error.LimitsExceeded")
        #expect(
            try refusal { _ = try client.openSession([2]) } == "org.freedesktop.DBus.Error.LimitsExceeded"
        )
        _ = try other.openSession()
        try client.send(sessions[0], of: .session, calling: "Close")
        _ = try client.openSession()
    }

    @Test("sessions of a connection that is gone count no more")
    func goneConnection() throws {
        var options = SecretServiceOptions()
        options.limits.sessions = (total: 4, ofProcess: 4, ofConnection: 4)
        let front = try TestFront(options)
        for _ in 0..<8 {
            let client = try front.client()
            // The service learns from the bus that the one before is gone, and then ends all of its sessions.
            #expect(eventually("room for a session") { (try? client.openSession()) != nil })
            for _ in 1..<4 { _ = try client.openSession() }
        }
    }
}
