// SPDX-License-Identifier: Apache-2.0

import KeychainClient
import KeychainCore
import KeychainDaemon
import KeychainEngine
import KeychainIdentity
import KeychainServer
import KeychainSimulation
import ServerTestSupport
import Synchronization

extension DeviceTransport {
    /// A daemon's server in this process, and its client: every command, reply and question passes through a socket.
    ///
    /// For one device. The server ends when the device has gone. It admits everybody, and refuses nothing.
    package static var socket: DeviceTransport { served { OpenAdmission($0, vouchesForBiometry: true) } }

    /// The same with the admission of a user's daemon.
    package static var daemon: DeviceTransport {
        served { keychain in try VouchingAdmission(UserAdmission(keychain, identities.get())) }
    }

    /// The same with the admission of the system service, which gives each user a keychain.
    package static var system: DeviceTransport {
        served { keychain in
            var options = PartitionOptions()
            options.accountName = { "user\($0)" }
            options.open = { _ in OpenedStore(keychain) }
            options.identities = { (_) throws(KeychainError) in try identities.get() }
            return VouchingAdmission(SystemAdmission(options))
        }
    }

    /// One for all cases: it hashes the executable of this process once.
    private static let identities = Result { () throws(KeychainError) in
        try IdentityService(IdentityOptions(), folder: nil)
    }

    private static func served(
        _ admission: @escaping @Sendable (EmbeddedKeychain) throws -> any Admission
    ) -> DeviceTransport {
        let owner = OwnersAuthenticator()
        return DeviceTransport(
            authenticator: { authenticator in
                owner.set(authenticator)
                return CallAuthenticator()
            },
            backend: { keychain in
                do {
                    return try ServedKeychain(admission(keychain), owner)
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

    init(_ admission: any Admission, _ authenticator: any Authenticator) throws {
        server = try TestServer(admission: admission)
        var options = ClientOptions()
        // A case changes who could be asked from one step to the next.
        options.authenticatorMilliseconds = 0
        client = server.client(authenticator, options: options)
    }

    var families: CommandFamily { .all }

    func carryOut(_ command: KeychainCommand) throws(KeychainError) -> KeychainReply { try client.perform(command) }
}

/// An admission that trusts what programs report about biometry, which no daemon does: the cases need it.
private struct VouchingAdmission: Admission {
    private let admission: any Admission

    init(_ admission: any Admission) { self.admission = admission }

    func admit(_ socket: Int32) throws(KeychainError) -> any ConnectedPeer {
        VouchingPeer(peer: try admission.admit(socket))
    }
}

private struct VouchingPeer: ConnectedPeer {
    let peer: any ConnectedPeer

    var process: ProcessInstance { peer.process }
    var backend: any KeychainBackend { peer.backend }
    var vouchesForBiometry: Bool { true }

    func permitted(_ command: KeychainCommand) throws(KeychainError) -> KeychainCommand { try peer.permitted(command) }

    func perform(_ permitted: KeychainCommand, sentAs command: KeychainCommand) throws(KeychainError) -> KeychainReply {
        try peer.perform(permitted, sentAs: command)
    }

    func confirm() throws(KeychainError) { try peer.confirm() }
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
