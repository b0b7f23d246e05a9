// SPDX-License-Identifier: Apache-2.0

import AsyncHTTPClient
import Hummingbird
import HummingbirdTLS
import NIOSSL

/// What the server answers.
public func makeRouter() -> Router<BasicRequestContext> {
    let router = Router()
    router.get("/health") { _, _ in "well" }
    return router
}

/// Serves over TLS on a free port, and calls back with the port.
public func makeServer(
    identity: TLSIdentity,
    onPort: @escaping @Sendable (Int) -> Void
) throws -> some ApplicationProtocol {
    let certificate = try NIOSSLCertificate(bytes: Array(identity.certificate.utf8), format: .pem)
    let key = try NIOSSLPrivateKey(bytes: Array(identity.privateKey.utf8), format: .pem)
    return Application(
        router: makeRouter(),
        server: try .tls(
            tlsConfiguration: .makeServerConfiguration(
                certificateChain: [.certificate(certificate)],
                privateKey: .privateKey(key)
            )
        ),
        configuration: .init(address: .hostname("127.0.0.1", port: 0)),
        onServerRunning: { channel in onPort(channel.localAddress?.port ?? 0) }
    )
}

/// Asks the server on a port, whose certificate is the only one trusted.
public func health(port: Int, trusting identity: TLSIdentity) async throws -> String {
    var configuration = HTTPClient.Configuration()
    configuration.tlsConfiguration = .makeClientConfiguration()
    let certificate = try NIOSSLCertificate(bytes: Array(identity.certificate.utf8), format: .pem)
    configuration.tlsConfiguration?.trustRoots = .certificates([certificate])
    configuration.connectionPool.retryConnectionEstablishment = false
    let client = HTTPClient(configuration: configuration)
    do {
        let response = try await client.execute(
            HTTPClientRequest(url: "https://localhost:\(port)/health"),
            timeout: .seconds(10)
        )
        let body = try await response.body.collect(upTo: 1024)
        try await client.shutdown()
        return String(buffer: body)
    } catch {
        try await client.shutdown()
        throw error
    }
}
