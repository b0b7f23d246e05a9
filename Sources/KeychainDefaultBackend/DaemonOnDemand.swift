// SPDX-License-Identifier: Apache-2.0

import HostFiles
import KeychainClient
import KeychainCore
import KeychainEngine
import KeychainWire

/// The daemon that owns a store, which is started by the first command where nobody listens.
package final class DaemonOnDemand: KeychainBackend {
    private let location: KeychainLocation
    private let authenticator: any Authenticator
    private let launcher: DaemonLauncher
    private let starting = Client()
    private let running = Client()

    /// A client of the socket that was found, made when it is needed first.
    private final class Client: @unchecked Sendable {
        private let lock = ForkSafeLock()
        private var client: DaemonKeychain?

        func client(_ make: () throws(KeychainError) -> DaemonKeychain) throws(KeychainError) -> DaemonKeychain {
            lock.acquire()
            defer { lock.release() }
            if let client { return client }
            let made = try make()
            client = made
            return made
        }
    }

    /// The daemon of the store in a folder.
    ///
    /// - Parameters:
    ///   - location: the folder of the store.
    ///   - authenticator: the user prompts, which the daemon has this process show.
    init(storeAt location: KeychainLocation, authenticator: any Authenticator) {
        self.location = location
        self.authenticator = authenticator
        launcher = DaemonLauncher(storeAt: location)
    }

    /// The socket where the daemon listens: where the store's folder says, else where it is looked for by default.
    package func socket() throws(KeychainError) -> SocketLocation {
        do throws(FileError) {
            if let folder = try PrivateDirectory(existing: location), let record = ServiceRecord(in: folder) {
                return SocketLocation(path: record.socket)
            }
            return try SocketLocation(of: location)
        } catch {
            throw KeychainError(socket: error)
        }
    }

    /// The program that is started on demand; `nil` where there is none.
    package func program() throws(KeychainError) -> String? { try launcher.program() }

    /// Carries out a command by the daemon, which is started where nobody listens.
    package func perform(_ command: KeychainCommand) throws(KeychainError) -> KeychainReply {
        // Where nobody listens there is nothing to end.
        if command.endsContext { return (try? performByRunning(command)) ?? .done }
        let client = try starting.client { () throws(KeychainError) in
            let socket = try socket()
            return DaemonKeychain(at: socket, authenticator: authenticator) { [launcher] () throws(KeychainError) in
                try launcher.start(listeningAt: socket.path)
            }
        }
        return try client.perform(command)
    }

    /// The same, by a daemon that runs already.
    package func performByRunning(_ command: KeychainCommand) throws(KeychainError) -> KeychainReply {
        let client = try running.client { () throws(KeychainError) in
            DaemonKeychain(at: try socket(), authenticator: authenticator)
        }
        return try client.perform(command)
    }
}
