// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainClient
import KeychainCore
import KeychainHost
import KeychainServer
import KeychainTestSupport
import KeychainWire
import Synchronization

/// A server of the daemon's kind in this process, at a socket in a temporary folder, until the object goes away.
package final class TestServer: Sendable {
    /// Where it listens.
    package let location: SocketLocation

    private let folder: TemporaryFolder
    private let clock: ManualClock?
    private let options: ServerOptions
    private let admission: any Admission
    private let running = Mutex<Running?>(nil)

    /// What it may take on a busy machine beyond its own timeouts.
    private static let graceMilliseconds = 120_000

    private struct Running {
        var server: KeychainServer
        var socket: ListeningSocket
        var ended: DispatchSemaphore
    }

    /// Starts a server.
    ///
    /// - Parameters:
    ///   - admission: who is let in, and what carries out their commands.
    ///   - options: its limits and its patience.
    ///   - clock: what its timeouts are measured by; `nil` for the clock of the system.
    /// - Throws: what keeps it from listening.
    package init(
        admission: any Admission,
        _ options: ServerOptions = ServerOptions(),
        clock: ManualClock? = nil
    ) throws {
        folder = try TemporaryFolder(prefix: "kd")
        location = SocketLocation(path: folder.path(of: "s"))
        var options = options
        if let clock { options.clock = clock.timeouts }
        self.clock = clock
        self.options = options
        self.admission = admission
        try start()
    }

    /// Starts a server that has every program's commands carried out by a keychain.
    ///
    /// - Throws: what keeps it from listening.
    package convenience init(
        _ keychain: any KeychainBackend,
        _ options: ServerOptions = ServerOptions(),
        vouchesForBiometry: Bool = false,
        clock: ManualClock? = nil
    ) throws {
        let admission = OpenAdmission(keychain, vouchesForBiometry: vouchesForBiometry)
        try self.init(admission: admission, options, clock: clock)
    }

    deinit { stop() }

    /// A program's end of it.
    package func client(
        _ authenticator: any Authenticator = NoAuthenticator(),
        options: ClientOptions = ClientOptions()
    ) -> DaemonKeychain {
        DaemonKeychain(at: location, authenticator: authenticator, options: options)
    }

    /// The server, for a front beside its socket; `nil` once it is stopped.
    package var server: KeychainServer? { running.withLock { $0?.server } }

    /// How many connections there are.
    package var connectionCount: Int { running.withLock { $0?.server.connectionCount } ?? 0 }

    /// Ends the server as a daemon ends: what is under way is answered first, within the server's own timeouts, for
    /// which its clock goes on by itself.
    ///
    /// One that does not end ends the process: there is no way to go on without its thread.
    package func stop() {
        let running = running.withLock { running in
            defer { running = nil }
            return running
        }
        guard let running else { return }
        clock?.run()
        running.server.stop()
        let limit = Int(options.stopMilliseconds) + Self.graceMilliseconds
        guard running.ended.wait(timeout: .now() + .milliseconds(limit)) == .success else {
            fatalError("the server at \(location.path) does not end")
        }
    }

    /// Starts another server at the same socket.
    package func start() throws {
        let socket = try ListeningSocket(location)
        let server = try KeychainServer(sockets: [socket.descriptor], options: options, admission: admission)
        let ended = DispatchSemaphore(value: 0)
        running.withLock { $0 = Running(server: server, socket: socket, ended: ended) }
        Thread.detachNewThread {
            server.run()
            ended.signal()
        }
    }
}

/// Lets everybody in, and has them do what they want.
package struct OpenAdmission: Admission {
    private let keychain: any KeychainBackend
    private let vouchesForBiometry: Bool

    /// An admission to a keychain.
    package init(_ keychain: any KeychainBackend, vouchesForBiometry: Bool = false) {
        self.keychain = keychain
        self.vouchesForBiometry = vouchesForBiometry
    }

    /// Lets a process in.
    package func admit(_ socket: Int32) throws(KeychainError) -> any ConnectedPeer {
        OpenPeer(
            process: ProcessInstance(identifier: getpid(), startTime: 0),
            backend: keychain,
            vouchesForBiometry: vouchesForBiometry
        )
    }
}

/// A process that may do everything.
package struct OpenPeer: ConnectedPeer {
    /// Which it is.
    package var process: ProcessInstance
    /// What carries out its commands.
    package var backend: any KeychainBackend
    /// Whether to believe it.
    package var vouchesForBiometry: Bool
    /// What to call it.
    package var programName: String?

    /// A process.
    package init(process: ProcessInstance, backend: any KeychainBackend, vouchesForBiometry: Bool = false) {
        self.process = process
        self.backend = backend
        self.vouchesForBiometry = vouchesForBiometry
    }

    /// Any command.
    package func permitted(_ command: KeychainCommand) throws(KeychainError) -> KeychainCommand { command }

    /// It is always the same.
    package func confirm() throws(KeychainError) {}

    /// Those of the groups that it says it has.
    package func changeFilter(for client: Client) throws(KeychainError) -> ChangeFilter {
        ChangeFilter(groups: client.accessGroups)
    }
}
