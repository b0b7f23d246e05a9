// SPDX-License-Identifier: Apache-2.0

import KeychainClient
import KeychainCore
import KeychainServer
import KeychainSimulation
import ServerTestSupport
import Synchronization

extension DeviceTransport {
    /// A daemon's server in this process, and its client: every command, reply and question passes through a socket.
    ///
    /// For one device. The server ends when the device has gone.
    package static var daemon: DeviceTransport {
        let owner = OwnersAuthenticator()
        return DeviceTransport(
            authenticator: { authenticator in
                owner.set(authenticator)
                return CallAuthenticator()
            },
            backend: { keychain in
                do {
                    return try ServedKeychain(keychain, owner)
                } catch {
                    return UnavailableKeychain(
                        KeychainError(.notAvailable, "the server cannot be started: \(error)", kind: .unavailable)
                    )
                }
            }
        )
    }
}

/// A keychain in this process, reached through a server.
private final class ServedKeychain: KeychainBackend {
    private let server: TestServer
    private let client: DaemonKeychain

    init(_ keychain: any KeychainBackend, _ authenticator: any Authenticator) throws {
        server = try TestServer(keychain, vouchesForBiometry: true)
        var options = ClientOptions()
        // A case changes who could be asked from one step to the next.
        options.authenticatorMilliseconds = 0
        client = server.client(authenticator, options: options)
    }

    func perform(_ command: KeychainCommand) throws(KeychainError) -> KeychainReply { try client.perform(command) }
}

/// Who is asked for a device, known once the device is made.
private final class OwnersAuthenticator: Authenticator {
    private let authenticator = Mutex<any Authenticator>(NoAuthenticator())

    func set(_ authenticator: any Authenticator) { self.authenticator.withLock { $0 = authenticator } }

    private var owner: any Authenticator { authenticator.withLock(\.self) }

    var biometry: Biometry { owner.biometry }

    var canAskForSecrets: Bool { owner.canAskForSecrets }

    func ask(_ prompt: AuthenticationPrompt) -> AuthenticationReply { owner.ask(prompt) }
}
