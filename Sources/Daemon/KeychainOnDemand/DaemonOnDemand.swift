// SPDX-License-Identifier: Apache-2.0

import Glibc
import KeychainClient
import KeychainCore
import KeychainEngine
import KeychainHost
import KeychainMacFrontEnd
import KeychainWire

/// A daemon: the one that owns the user's store or serves the user's keychain files, which the first command starts if
/// none listens, or the system service, which programs do not start.
package final class DaemonOnDemand: NotifyingKeychain {
    private let location: KeychainLocation
    private let authenticator: any Authenticator
    private let launcher: DaemonLauncher
    private let kind: Kind
    private let options: ClientOptions
    private let starting = Client()
    private let running = Client()

    /// Which daemon it is.
    package enum Kind: Sendable, Hashable {
        /// The one of the user that owns the store.
        case user
        /// The one of the user's keychain files.
        case files
        /// The system service.
        case system

        fileprivate var service: DaemonLauncher.Service { self == .files ? .files : .store }
    }

    /// A client of the located socket, created on first use.
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

        /// Makes the next use create another one, unless that was already done.
        func drop(_ client: DaemonKeychain) {
            lock.acquire()
            defer { lock.release() }
            if self.client === client { self.client = nil }
        }

        /// Executes a command, and retries it once if no daemon listens on the socket, or its folder is another user's,
        /// and programs use another one by now.
        func perform(
            _ command: KeychainCommand,
            _ make: () throws(KeychainError) -> DaemonKeychain,
            hasMoved: (SocketLocation) -> Bool
        ) throws(KeychainError) -> KeychainReply {
            let client = try client(make)
            do throws(KeychainError) {
                return try client.perform(command)
            } catch {
                // By now it may have returned.
                let isUnusable = error.kind == .unavailable && client.location.isTaken
                let hasLeft = (error.isMissingDaemon || isUnusable) && hasMoved(client.location)
                guard hasLeft || error.kind == .service(.moved) else { throw error }
            }
            drop(client)
            return try self.client(make).perform(command)
        }
    }

    /// Creates the daemon of the keychain in a folder.
    ///
    /// - Parameters:
    ///   - location: the folder of the store.
    ///   - authenticator: shows the daemon's user prompts in this process.
    ///   - kind: the kind of daemon.
    ///   - options: the timeouts and limits of its clients.
    package init(
        storeAt location: KeychainLocation,
        authenticator: any Authenticator,
        _ kind: Kind = .user,
        options: ClientOptions
    ) {
        self.location = kind.service.folder(location)
        var options = options
        if kind != .system { options.servedFolder = self.location.path }
        self.options = options
        self.kind = kind
        self.authenticator = authenticator
        launcher = DaemonLauncher(storeAt: location, serving: kind.service)
    }

    /// The daemon's socket: the one recorded in its folder, unless another user has taken the folder of the socket, or
    /// else the default one.
    ///
    /// - Throws: ``KeychainError``, among others for a copy of a folder whose keychain is in the system service.
    package func socket() throws(KeychainError) -> SocketLocation {
        let (socket, isOfCopy): (SocketLocation, Bool)
        do throws(FileError) {
            let folder = try PrivateDirectory(existing: location)
            (socket, isOfCopy) = (try self.socket(in: folder), kind == .system && isCopied(folder))
        } catch {
            throw KeychainError(socket: error)
        }
        guard !isOfCopy else { throw .copyOfMoved(location.path) }
        return socket
    }

    /// Whether the keychain of this folder cannot be the one in the system service: the folder is a copy, or was named
    /// explicitly, and such a keychain is never moved.
    private func isCopied(_ folder: PrivateDirectory?) -> Bool {
        guard let folder, ServiceRecord(in: folder) == nil else { return false }
        return location.isNamed || ServiceRecord.isCopied(in: folder)
    }

    private func socket(in folder: PrivateDirectory?) throws(FileError) -> SocketLocation {
        if let folder, let record = ServiceRecord(in: folder) {
            let recorded = SocketLocation(path: record.socket, isSystemService: kind == .system)
            // systemd listens nowhere else.
            return record.unit == nil && recorded.isTaken ? recorded.inFolder(of: location) : recorded
        }
        // The daemon of keychain files is not enabled explicitly: it runs where the environment of the first program
        // places it.
        if kind == .files, let folder, let running = DaemonRecord(in: folder).map({ SocketLocation(path: $0.socket) }),
            !running.isTaken
        {
            return running
        }
        return kind == .system ? .system : try SocketLocation(of: location)
    }

    /// Whether a daemon currently serves the store in the folder, on the socket that programs use.
    ///
    /// The store is not opened for that: the folder's lock and the records next to it are enough.
    package var isServing: Bool {
        do throws(FileError) {
            guard kind == .user, let folder = try PrivateDirectory(existing: location),
                let running = DaemonRecord(serving: folder)
            else { return false }
            return try socket(in: folder).path == running.socket
        } catch {
            return false
        }
    }

    /// Whether the records in the folder say that the system service has the keychain, and the store has not changed
    /// since.
    ///
    /// The store is not opened for that, and the service, which has another store, is not asked.
    package var isRecordedOwner: Bool {
        guard kind == .system, let folder = (try? PrivateDirectory(existing: location)) ?? nil,
            let record = ServiceRecord(in: folder), record.program == nil
        else { return false }
        return EmbeddedKeychain.recordedOwner(in: folder) == .system
    }

    /// Starts the daemon recorded for the store, for a program that cannot read the store's owner.
    ///
    /// - Returns: Whether it serves the store, having opened it as its owner.
    package func startIfRecorded() -> Bool {
        guard kind == .user, let folder = (try? PrivateDirectory(existing: location)) ?? nil,
            ServiceRecord.program(in: folder) != nil
        else { return false }
        return (try? perform(.device(.status))) != nil && isServing
    }

    /// The program to start on demand; `nil` if there is none.
    package func program() throws(KeychainError) -> String? { try launcher.program() }

    /// Why no daemon can be started; `nil` if one can.
    package var obstacle: String? { launcher.obstacle }

    /// The commands that the daemon may serve.
    package var families: CommandFamily {
        kind == .files ? .files : [.dataProtection, .move]
    }

    /// Executes a command through the daemon, which is started if none listens.
    package func carryOut(_ command: KeychainCommand) throws(KeychainError) -> KeychainReply {
        // If no daemon listens, there is nothing to end.
        if command.has(.endsContext) { return (try? performByRunning(command)) ?? .done }
        if command == .files(.lockAll) { return try lockAll() }
        if try isDone(command) { return .done }
        if kind == .system { return try performByRunning(command) }
        return try starting.perform(
            command,
            { () throws(KeychainError) in
                let socket = try socket()
                let start = { @Sendable [weak self] () throws(KeychainError) in
                    // This object, which calls it, has the client.
                    guard let self else { return }
                    // 'keychainctl service' may have moved it since.
                    guard !hasMoved(socket) else { throw .movedDaemon(from: socket.path) }
                    try launcher.start(listeningAt: socket)
                }
                return DaemonKeychain(at: socket, authenticator: authenticator, options: options, start: start)
            },
            hasMoved: hasMoved
        )
    }

    /// Whether a command on a keychain file needs no action: a file that no daemon serves is locked.
    ///
    /// - Throws: `errSecNoSuchKeychain` for a missing file, for which no daemon has to be started.
    private func isDone(_ command: KeychainCommand) throws(KeychainError) -> Bool {
        guard case .files(.keychain(let path, let action)) = command else { return false }
        if case .create = action { return false }
        var isLock = false
        // A daemon may hold the keys of a file that was moved.
        if case .lock = action { isLock = true }
        if isLock, try socket().answers { return false }
        var status = stat()
        guard stat(path, &status) == 0 || errno != ENOENT && errno != ENOTDIR else {
            throw .noSuchKeychain
        }
        return isLock
    }

    /// Makes a daemon of keychain files lock all of them; if none is running, none is unlocked.
    private func lockAll() throws(KeychainError) -> KeychainReply {
        guard try socket().answers else { return .done }
        do throws(KeychainError) {
            return try performByRunning(.files(.lockAll))
        } catch {
            guard error.isMissingDaemon, !error.hasForeignListener else { throw error }
            return .done
        }
    }

    /// The same, without starting a daemon.
    package func performByRunning(_ command: KeychainCommand) throws(KeychainError) -> KeychainReply {
        try running.perform(
            command,
            { () throws(KeychainError) in
                DaemonKeychain(at: try socket(), authenticator: authenticator, options: options)
            },
            hasMoved: hasMoved
        )
    }

    private func hasMoved(_ known: SocketLocation) -> Bool {
        guard let socket = try? socket() else { return false }
        return socket.path != known.path
    }

    /// Notifies a program of changes once a daemon runs; none is started.
    package func observe(
        as client: KeychainCore.Client,
        _ handler: @escaping @Sendable (ChangeNotice) -> Void
    ) throws(KeychainError) -> ChangeObservation {
        DaemonKeychain(at: try socket(), options: options).observeChanges(as: client, handler)
    }
}

/// A keychain that notifies a program of other programs' changes, unless its socket cannot be determined.
package protocol NotifyingKeychain: KeychainBackend {
    /// Like ``ObservableKeychain/observeChanges(as:_:)``, at the current socket.
    ///
    /// - Throws: ``KeychainError`` if the observation could not start; a later attempt may succeed.
    func observe(
        as client: KeychainCore.Client,
        _ handler: @escaping @Sendable (ChangeNotice) -> Void
    ) throws(KeychainError) -> ChangeObservation
}
