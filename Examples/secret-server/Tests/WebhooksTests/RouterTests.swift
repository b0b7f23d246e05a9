// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Testing

@testable import Webhooks

@Suite struct RouterTests {
    // RFC 4231, test case 2.
    private let secret = Data("Jefe".utf8)
    private let body = "what do ya want for nothing?"
    private let signature = "sha256=5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"

    private func status(_ signature: String?, body: String) async throws -> HTTPResponse.Status {
        let name = try #require(HTTPField.Name.signature)
        let headers: HTTPFields = signature.map { [name: $0] } ?? [:]
        return try await Application(router: makeRouter(secret: secret)).test(.router) { client in
            try await client.execute(
                uri: "/webhook",
                method: .post,
                headers: headers,
                body: ByteBuffer(string: body)
            ).status
        }
    }

    @Test func aSignedWebhookIsTaken() async throws {
        #expect(try await status(signature, body: body) == .noContent)
        #expect(try await status("sha256=" + signature.dropFirst(7).uppercased(), body: body) == .noContent)
    }

    @Test func anotherBodyIsRefused() async throws {
        #expect(try await status(signature, body: body + "!") == .unauthorized)
        #expect(try await status(signature, body: "") == .unauthorized)
    }

    @Test(
        arguments: [
            nil, "", "sha256=", "sha256=5bdc", "sha256=" + String(repeating: "0", count: 64),
            "sha256=" + String(repeating: "+1", count: 32), "sha256=" + String(repeating: "é", count: 32),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843",
        ] as [String?]
    )
    func whatIsNoSignatureIsRefused(signature: String?) async throws {
        #expect(try await status(signature, body: body) == .unauthorized)
    }
}
