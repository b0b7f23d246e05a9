// SPDX-License-Identifier: Apache-2.0

import Glibc
import KeychainClient
import KeychainCore
import KeychainEngine
import KeychainHost
import KeychainMacFrontEnd
import KeychainWire

/// A daemon: the one that owns the user's store or serves the user's keychain files, which is started by the first
/// command if none listens, or the system service, which programs do not start.
package final class DaemonOnDemand: NotifyingKeychain {
    private let location: KeychainLocation
    private let authenticator: any Authenticator
    private let launcher: DaemonLauncher
    private let kind: Kind
    private let starting = Client()
    private let running = Client()

    /// Which daemon it is.
    enum Kind: Sendable, Hashable {
        /// The one of the user that owns the store.
        case user
        /// The one of the user's keychain files.
        case files
        /// The system service.
        case system

        fileprivate var service: DaemonLauncher.Service { self == .files ? .files : .store }
    }

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

        /// Has another one be made, unless that was done.
        func drop(_ client: DaemonKeychain) {
            lock.acquire()
            defer { lock.release() }
            if self.client === client { self.client = nil }
        }

        /// Executes a command, and retries it once if no daemon listens on the socket and the record names another one.
        func perform(
            _ command: KeychainCommand,
            _ make: () throws(KeychainError) -> DaemonKeychain,
            hasMoved: (SocketLocation) -> Bool
        ) throws(KeychainError) -> KeychainReply {
            let client = try client(make)
            do throws(KeychainError) {
                return try client.perform(command)
            } catch {
                // By now, it may be back where it was.
                let hasLeft = error.isMissingDaemon && hasMoved(client.location)
                guard hasLeft || error.kind == .service(.moved) else { throw error }
            }
            drop(client)
            return try self.client(make).perform(command)
        }
    }

    /// The daemon of the keychain in a folder.
    ///
    /// - Parameters:
    ///   - location: the folder of the store.
    ///   - authenticator: the user prompts, which the daemon has this process show.
    ///   - kind: which daemon it is.
    init(storeAt location: KeychainLocation, authenticator: any Authenticator, _ kind: Kind = .user) {
        self.location = kind.service.folder(location)
        self.kind = kind
        self.authenticator = authenticator
        launcher = DaemonLauncher(storeAt: location, serving: kind.service)
    }

    /// The daemon's socket: the one that its folder records, or else the default one.
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

    /// Whether the keychain of this folder cannot be the one in the system service: the folder is a copy, or was named,
    /// and such a keychain is never moved.
    private func isCopied(_ folder: PrivateDirectory?) -> Bool {
        guard let folder, ServiceRecord(in: folder) == nil else { return false }
        return location.isNamed || ServiceRecord.isCopied(in: folder)
    }

    /// What clients of the daemon expect of it.
    private var options: ClientOptions {
        var options = ClientOptions()
        if kind != .system { options.servedFolder = location.path }
        return options
    }

    private func socket(in folder: PrivateDirectory?) throws(FileError) -> SocketLocation {
        if let folder, let record = ServiceRecord(in: folder) {
            return SocketLocation(path: record.socket, isSystemService: kind == .system)
        }
        // Nobody enables the one of keychain files: it runs where the environment of the first program has it.
        if kind == .files, let folder, let running = DaemonRecord(in: folder) {
            return SocketLocation(path: running.socket)
        }
        return kind == .system ? .system : try SocketLocation(of: location)
    }

    /// Whether a daemon serves the store in the folder at this moment, on the socket that programs use.
    ///
    /// The store is not opened for that: the folder's lock and the records beside it tell.
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

    /// Starts the daemon that was recorded for the store, for a program that cannot read whose the store is.
    ///
    /// - Returns: Whether it serves the store, which it has opened as its owner.
    func startIfRecorded() -> Bool {
        guard kind == .user, let folder = (try? PrivateDirectory(existing: location)) ?? nil,
            ServiceRecord.program(in: folder) != nil
        else { return false }
        return (try? perform(.device(.status))) != nil && isServing
    }

    /// The program that is started on demand; `nil` if there is none.
    package func program() throws(KeychainError) -> String? { try launcher.program() }

    /// What the daemon may serve.
    package var families: CommandFamily {
        kind == .files ? .files : [.dataProtection, .move]
    }

    /// Executes a command through the daemon, which is started if none listens.
    package func carryOut(_ command: KeychainCommand) throws(KeychainError) -> KeychainReply {
        // Where nobody listens there is nothing to end.
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

    /// Whether there is nothing to do for a command on a keychain file: one that no daemon serves is locked.
    ///
    /// - Throws: `errSecNoSuchKeychain` for a file that is not there, for which no daemon has to be started.
    private func isDone(_ command: KeychainCommand) throws(KeychainError) -> Bool {
        guard case .files(.keychain(let path, let action)) = command else { return false }
        if case .create = action { return false }
        var isLock = false
        // A daemon may hold the keys of a file that was moved away.
        if case .lock = action { isLock = true }
        if isLock, try socket().answers { return false }
        var status = stat()
        guard stat(path, &status) == 0 || errno != ENOENT && errno != ENOTDIR else {
            throw .noSuchKeychain
        }
        return isLock
    }

    /// Has a daemon of keychain files lock all of them; where none runs, none is unlocked.
    private func lockAll() throws(KeychainError) -> KeychainReply {
        guard try socket().answers else { return .done }
        do throws(KeychainError) {
            return try performByRunning(.files(.lockAll))
        } catch {
            guard error.isMissingDaemon else { throw error }
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
    func observe(
        as client: KeychainCore.Client,
        _ handler: @escaping @Sendable (ChangeNotice) -> Void
    ) throws(KeychainError) -> ChangeObservation {
        DaemonKeychain(at: try socket(), options: options).observeChanges(as: client, handler)
    }
}

/// A keychain that notifies a program of other programs' changes, unless its socket cannot be determined.
protocol NotifyingKeychain: KeychainBackend {
    /// As ``ObservableKeychain/observeChanges(as:_:)``, at the socket of this moment.
    ///
    /// - Throws: ``KeychainError`` if the observation could not begin; a later attempt may succeed.
    func observe(
        as client: KeychainCore.Client,
        _ handler: @escaping @Sendable (ChangeNotice) -> Void
    ) throws(KeychainError) -> ChangeObservation
}
