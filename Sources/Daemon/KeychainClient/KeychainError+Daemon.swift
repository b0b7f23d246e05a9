// SPDX-License-Identifier: Apache-2.0

import Glibc
import KeychainCore
import KeychainHost
import KeychainWire

extension KeychainError {
    /// A daemon that cannot be connected to.
    init(noDaemon error: FileError, at location: SocketLocation) {
        let path = location.path
        switch error {
        case .system(_, _, ENOENT), .system(_, _, ECONNREFUSED):
            self.init(
                .notAvailable,
                "no keychain daemon listens on \(path); \(Self.advice(location))",
                kind: .service(.missing),
                facts: ["path": path]
            )
        case .system("connect", _, _) where !Self.mayBeSocket(path):
            self.init(socket: .wrongKind(path: path, expected: "a socket"))
        default: self.init(socket: error)
        }
    }

    private static func mayBeSocket(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) != 0 || status.st_mode & S_IFMT == S_IFSOCK
    }

    /// How to start a daemon again.
    private static func advice(_ location: SocketLocation) -> String {
        guard location.isSystemService else { return "start it with `keychainctl service restart`" }
        return location.path == SocketLocation.system.path
            ? "start it as root with `systemctl start swift-keychain.socket`"
            : "have root start the system service that listens there"
    }

    /// Whether a daemon was reached, and stopped: another may follow.
    var isGoneDaemon: Bool { kind == .service(.gone) }

    /// A socket on which the daemon no longer listens.
    package static func movedDaemon(from path: String) -> KeychainError {
        KeychainError(
            .notAvailable,
            "the keychain daemon no longer listens on \(path)",
            kind: .service(.moved),
            facts: ["path": path]
        )
    }

    /// A daemon that closed the connection before it accepted the command.
    static func daemonStopped(_ path: String) -> KeychainError {
        KeychainError(
            .notAvailable,
            "the keychain daemon at \(path) stopped before it accepted the command; nothing was done",
            kind: .service(.gone),
            facts: ["path": path]
        )
    }

    /// A daemon that accepts no connection, or does not greet.
    static func silence(_ location: SocketLocation) -> KeychainError {
        let fix =
            location.isSystemService
            ? "root can replace it: `systemctl restart swift-keychain`" : "`keychainctl service restart` replaces it"
        return KeychainError(
            .notAvailable,
            "the keychain daemon at \(location.path) does not respond; nothing was done. It may be stopped (SIGCONT "
                + "continues it), or \(fix)",
            kind: .service(.silent),
            facts: ["path": location.path]
        )
    }

    /// Another program that listens on the socket.
    static func notADaemon(_ path: String) -> KeychainError {
        KeychainError(
            .notAvailable,
            "the process that listens on \(path) is not a keychain daemon",
            kind: .transport,
            facts: ["path": path]
        )
    }

    /// A process that listens in the place of the keychain's daemon.
    static func foreignListener(_ process: pid_t, on path: String) -> KeychainError {
        KeychainError(
            .notAvailable,
            "the process that listens on \(path) (\(process)) is not the keychain's daemon, and is sent nothing; it may be in a "
                + "sandbox that can write to that folder. Once it has ended, `keychainctl service restart` takes the socket "
                + "back",
            kind: .service(.missing),
            facts: ["path": path, foreignListenerFact: "\(process)"]
        )
    }

    /// A daemon that shares no version of the protocol with this program.
    ///
    /// - Parameters:
    ///   - location: its socket.
    ///   - own: the versions that this program supports.
    ///   - lowest: the lowest version that the daemon supports; `nil` for one that does not say.
    ///   - highest: the highest.
    /// - Returns: The error.
    static func otherVersion(
        _ location: SocketLocation,
        own: ClosedRange<UInt16>,
        lowest: UInt16?,
        highest: UInt16
    ) -> KeychainError {
        let isOlder = highest < own.lowerBound
        let other = lowest.map { ProtocolVersion.text(min($0, highest)...highest) } ?? "up to \(highest)"
        return KeychainError(
            .notAvailable,
            "the keychain daemon at \(location.path) is \(isOlder ? "older" : "newer") than this program: it speaks version "
                + "\(other) of the protocol, and this program \(ProtocolVersion.text(own)); "
                + (isOlder ? location.restart : "update the program"),
            kind: .unavailable,
            facts: ["path": location.path, "version": ProtocolVersion.text(own), "daemon": other]
        )
    }

    /// A daemon that shares a version of the protocol with this program that does not have a command.
    static func withoutCommand(
        _ command: KeychainCommand,
        _ location: SocketLocation,
        version: UInt16
    ) -> KeychainError {
        KeychainError(
            .notAvailable,
            "the keychain daemon at \(location.path) is older than this program: '\(command.row.name)' needs version "
                + "\(command.protocolVersion) of the protocol, and the daemon speaks version \(version); \(location.restart)",
            kind: .unavailable,
            facts: ["path": location.path, "version": "\(command.protocolVersion)", "daemon": "\(version)"]
        )
    }

    /// A daemon that serves another folder than the client means, for example the original of a copy.
    static func servesAnother(_ folder: String, _ location: SocketLocation) -> KeychainError {
        KeychainError(
            .notAvailable,
            "the keychain daemon at \(location.path) serves another folder than \(folder), which may be a copy; nothing "
                + "was done. Run `keychainctl service enable` to give this folder a daemon of its own, or `keychainctl "
                + "service disable` to let programs open it themselves",
            kind: .service(.otherFolder),
            facts: ["path": location.path, "folder": folder]
        )
    }

    /// A copy of a folder whose keychain was moved to the system service.
    package static func copyOfMoved(_ folder: String) -> KeychainError {
        KeychainError(
            .notAvailable,
            "\(folder) is a copy of a folder whose keychain is in the system service, where nothing is done for it; "
                + "use that folder, or begin a keychain in the copy: `keychainctl service disable --leave-items`",
            kind: .service(.otherFolder),
            facts: ["folder": folder]
        )
    }

    /// A command that reached a daemon that did not reply.
    static func unknownOutcome(_ path: String, _ why: String) -> KeychainError {
        KeychainError(
            .notAvailable,
            "the keychain daemon at \(path) did not reply: \(why). It is not known whether a change was made",
            kind: .transport,
            facts: ["path": path]
        )
    }

    /// The same of a daemon that is silent.
    static func silentOutcome(_ path: String) -> KeychainError {
        var error = unknownOutcome(path, "it does not respond, and may be stopped (SIGCONT continues it)")
        error.kind = .service(.silentAfterCommand)
        return error
    }

    /// A lock that the daemon, which did not take the command for the given reason, finds at its next call.
    package static func lockedWithoutDaemon(after error: KeychainError) -> KeychainError {
        KeychainError(
            .notAvailable,
            "the keychain is locked, and the daemon wipes its keys at its next call; it has not taken the command: "
                + error.reason,
            kind: .service(.lockedInSilence),
            facts: error.facts
        )
    }
}

extension SocketLocation {
    /// How a daemon of this version gets to listen there.
    fileprivate var restart: String {
        isSystemService
            ? "have root restart it: `systemctl restart swift-keychain`"
            : "restart it with `keychainctl service restart`"
    }
}
