// SPDX-License-Identifier: Apache-2.0

import Glibc
import KeychainCore
import KeychainEngine
import KeychainHost
import KeychainProtection
import KeychainWire

/// Starts a daemon for a store, or for keychain files, unless a service manager does.
package struct DaemonLauncher: Sendable {
    private let location: KeychainLocation
    private let service: Service

    /// The service that the daemon provides.
    package enum Service: Sendable, Hashable {
        /// The store in the folder.
        case store
        /// Keychain files of the programs that use the folder.
        case files

        /// The folder of the daemon's lock and record.
        func folder(_ location: KeychainLocation) -> KeychainLocation {
            switch self {
            case .store: location
            case .files: location.fileDaemon
            }
        }

        /// The options of its own.
        fileprivate var options: [String] {
            switch self {
            case .store: []
            case .files: ["--files"]
            }
        }

        /// The idle timeout of a daemon that was started on demand.
        ///
        /// A daemon of keychain files, which does not exit while one is unlocked, loses only the time of a start.
        fileprivate var idleSeconds: Int {
            switch self {
            case .store: 600
            case .files: 60
            }
        }

        /// The error without a program to start, and the remedy.
        fileprivate func withoutProgram(_ missing: String) -> String {
            let install = "install it, or name its path in \(DaemonProgram.environmentVariable)"
            return switch self {
            case .store:
                "the keychain is owned by a daemon that is not installed: \(missing); "
                    + "\(install), or give the keychain back to programs with 'keychainctl service disable'"
            case .files: "a daemon serves keychain files, and it is not installed: \(missing); \(install)"
            }
        }
    }

    /// The time limit for a daemon to listen; longer than it waits for one that is exiting.
    private static let patienceMilliseconds: Int32 = 40_000

    /// The environment variables that a daemon inherits: none of them makes it load other code.
    private static let variables = [
        KeychainLocation.environmentVariable, "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_RUNTIME_DIR", "HOME", "TMPDIR",
        "LANG",
    ]

    /// Starts daemons for the folder of a keychain.
    package init(storeAt location: KeychainLocation, serving service: Service = .store) {
        self.location = location
        self.service = service
    }

    /// The program to start; `nil` if there is none.
    ///
    /// - Throws: ``KeychainError`` if the named program cannot be trusted.
    package func program() throws(KeychainError) -> String? {
        do throws(FileError) { return try find() } catch { throw KeychainError(socket: error) }
    }

    private func find() throws(FileError) -> String? {
        // For keychain files, it is the one recorded for the store next to them, if they have none of their own.
        let own = try PrivateDirectory(existing: service.folder(location))
        let isNamed = own.map { ServiceRecord.program(in: $0) != nil } ?? false
        return try DaemonProgram.path(for: isNamed ? own : try PrivateDirectory(existing: location))
    }

    /// Why no daemon can be started; `nil` if systemd starts it, or there is a program to start.
    package var obstacle: String? {
        guard (try? unit()) == nil else { return nil }
        do throws(KeychainError) { _ = try installedProgram() } catch { return error.reason }
        return nil
    }

    /// The program to start.
    ///
    /// - Throws: ``KeychainError``, also for a named program that does not exist, as after it was uninstalled.
    private func installedProgram() throws(KeychainError) -> String {
        var missing = "there is no program 'keychaind' to start"
        do throws(FileError) {
            if let program = try find() { return program }
        } catch .system(_, let path, ENOENT) {
            missing = "\(path) is missing"
        } catch {
            throw KeychainError(socket: error)
        }
        throw KeychainError(
            .notAvailable,
            service.withoutProgram(missing),
            kind: .service(.notInstalled)
        )
    }

    /// Starts a daemon, with systemd if a unit was set up, and waits until it listens.
    ///
    /// If another daemon starts to listen meanwhile, that one is used.
    ///
    /// - Parameter socket: the socket to listen on.
    /// - Throws: ``KeychainError`` with the daemon's message.
    package func start(listeningAt socket: SocketLocation) throws(KeychainError) {
        if let unit = try unit() {
            if try start(unit), socket.answers { return }
            try Self.checkIsLoggedIn(socket)
        }
        try startProgram(listeningAt: socket.path)
    }

    /// The user's systemd unit, if one was set up.
    private func unit() throws(KeychainError) -> String? {
        do throws(FileError) {
            return try PrivateDirectory(existing: service.folder(location)).flatMap { ServiceRecord(in: $0)?.unit }
        } catch {
            throw KeychainError(socket: error)
        }
    }

    /// Checks that systemd's folder for the sockets of a logged-in user exists.
    ///
    /// A cron(8) job may run without it. A daemon that it started elsewhere would keep systemd's daemon from the store.
    private static func checkIsLoggedIn(_ socket: SocketLocation) throws(KeychainError) {
        let runtime = "/" + socket.path.pathNames.dropLast(2).joined(separator: "/")
        guard access(runtime, F_OK) != 0, errno == ENOENT else { return }
        throw KeychainError(
            .notAvailable,
            "the keychain daemon runs only while its user is logged in, because systemd starts it (\(runtime) is "
                + "missing); 'loginctl enable-linger' keeps it without a login, and the system service needs none "
                + "('keychainctl service enable --system')",
            kind: .unavailable
        )
    }

    /// Starts a unit.
    ///
    /// - Returns: Whether it listens.
    private func start(_ unit: String) throws(KeychainError) -> Bool {
        guard let control = Self.serviceControl.first(where: { access($0, X_OK) == 0 }) else { return false }
        return try Self.run(control, [control, "--user", "--quiet", "start", unit]).0 == 0
    }

    /// The possible paths of systemctl(1).
    private static let serviceControl = ["/usr/bin/systemctl", "/bin/systemctl"]

    /// Starts a daemon that serves the Secret Service on a bus of its own, and waits until it listens.
    ///
    /// - Parameters:
    ///   - socket: the socket to listen on.
    ///   - bus: the socket of the bus.
    /// - Throws: ``KeychainError`` with the daemon's message.
    package func start(listeningAt socket: SocketLocation, withBus bus: SocketLocation) throws(KeychainError) {
        try startProgram(listeningAt: socket.path, ["--secret-service", "--bus", bus.path])
        guard bus.answers else {
            throw KeychainError(
                .notAvailable,
                "another keychain daemon was started meanwhile, which has no bus; try again",
                kind: .unavailable
            )
        }
    }

    private func startProgram(listeningAt socket: String, _ more: [String] = []) throws(KeychainError) {
        let program = try installedProgram()
        let words =
            [program, "--background", "--store", location.path, "--socket", socket, "--exit-when-idle"]
            + ["\(service.idleSeconds)"] + service.options + more
        let (status, message) = try Self.run(program, words)
        guard status != DaemonStatus.done.rawValue else { return }
        // It was taken back since this program checked, and may have been handed over again by now.
        if status == DaemonStatus.storeIsEmbedded.rawValue {
            throw KeychainError(ProtectionError.foreignOwner(.embedded))
        }
        throw KeychainError(
            .notAvailable,
            "the keychain daemon could not be started: \(message.isEmpty ? "it exited with status \(status)" : message)",
            kind: .unavailable,
            facts: ["program": program]
        )
    }

    private static func run(_ program: String, _ words: [String]) throws(KeychainError) -> (Int32, String) {
        let environment = ProcessEnvironment.assignments(variables)
        let daemon: SpawnedProgram
        do throws(FileError) { daemon = try SpawnedProgram(program, words, environment: environment) } catch {
            throw KeychainError(socket: error)
        }
        defer { close(daemon.socket) }
        // It closes its output when it listens, or with a message when it cannot.
        let deadline = Deadline(milliseconds: patienceMilliseconds)
        let output = DescriptorContents(of: daemon.socket, atMost: 4096, until: deadline)
        guard output.end != .overdue else {
            daemon.end()
            return (1, "it did not report that it listens")
        }
        let message = String(decoding: output.bytes, as: UTF8.self)
            .split(whereSeparator: \.isNewline).joined(separator: "; ")
        // A program that reaps every child has taken the status; connecting shows whether the daemon listens.
        return (ExitStatus.wait(for: daemon.identifier) ?? 0, message)
    }
}
