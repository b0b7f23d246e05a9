// SPDX-License-Identifier: Apache-2.0

import Foundation
import Hummingbird
import HummingbirdTesting
import Server
import Testing

@Suite struct ServerTests {
    @Test func theIdentityStaysTheSame() throws {
        let service = "com.example.graphs.\(UUID())"
        let first = try TLSIdentity.kept(service: service)
        #expect(try TLSIdentity.kept(service: service) == first)
        #expect(try TLSIdentity() != first)
    }

    @Test func theRouterAnswers() async throws {
        try await Application(router: makeRouter()).test(.router) { client in
            let response = try await client.execute(uri: "/health", method: .get)
            #expect(String(buffer: response.body) == "well")
        }
    }

    @Test func aClientThatTrustsTheKeptCertificateIsAnswered() async throws {
        let identity = try TLSIdentity.kept(service: "com.example.graphs.\(UUID())")
        let (ports, continuation) = AsyncStream.makeStream(of: Int.self)
        let server = try makeServer(identity: identity) { continuation.yield($0) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await server.run() }
            let port = try #require(await ports.first { _ in true })
            #expect(try await health(port: port, trusting: identity) == "well")
            let other = try TLSIdentity()
            await #expect(throws: (any Error).self) { try await health(port: port, trusting: other) }
            group.cancelAll()
            try? await group.waitForAll()
        }
    }
}
