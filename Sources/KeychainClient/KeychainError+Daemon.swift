// SPDX-License-Identifier: Apache-2.0

import Glibc
import HostFiles
import KeychainCore
import KeychainWire

extension KeychainError {
    /// A daemon that cannot be connected to.
    init(noDaemon error: FileError, at path: String) {
        switch error {
        case .system(_, _, ENOENT), .system(_, _, ECONNREFUSED):
            self.init(
                .notAvailable,
                "no keychain daemon listens on \(path); \(Self.advice(path))",
                kind: .unavailable,
                facts: ["path": path, Self.absenceFact: "daemon"]
            )
        default: self.init(socket: error)
        }
    }

    private static let absenceFact = "missing"

    /// How to start a daemon again.
    private static func advice(_ path: String) -> String {
        path == SocketLocation.system.path
            ? "start it as root with `systemctl start swift-keychain.socket`"
            : "start it with `keychainctl service restart`"
    }

    /// Whether no daemon was there to connect to: nothing was done.
    package var isMissingDaemon: Bool { facts[Self.absenceFact] == "daemon" }

    /// Whether a daemon was there, and stopped: another may follow.
    var isGoneDaemon: Bool { facts[Self.absenceFact] == "gone" }

    /// A socket on which the daemon no longer listens.
    package static func movedDaemon(from path: String) -> KeychainError {
        KeychainError(
            .notAvailable,
            "the keychain daemon no longer listens on \(path)",
            kind: .unavailable,
            facts: ["path": path, absenceFact: "daemon"]
        )
    }

    /// A daemon that closed the connection before it accepted the command.
    static func gone(_ path: String) -> KeychainError {
        KeychainError(
            .notAvailable,
            "the keychain daemon at \(path) stopped before it accepted the command; nothing was done",
            kind: .unavailable,
            facts: ["path": path, absenceFact: "gone"]
        )
    }

    /// A daemon that accepts no connection, or does not greet.
    static func silence(_ path: String) -> KeychainError {
        KeychainError(
            .notAvailable,
            "the keychain daemon at \(path) does not respond; nothing was done. It may be stopped (SIGCONT continues it), or "
                + "`keychainctl service restart` replaces it",
            kind: .unavailable,
            facts: ["path": path]
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

    /// A daemon that shares no version of the protocol with this program.
    static func otherVersion(_ path: String, highest: UInt16) -> KeychainError {
        let isOlder = highest < UInt16(WireMessage.version)
        return KeychainError(
            .notAvailable,
            "the keychain daemon at \(path) is \(isOlder ? "older" : "newer") than this program; "
                + (isOlder ? "restart it with `keychainctl service restart`" : "update the program"),
            kind: .unavailable,
            facts: ["path": path, "version": "\(WireMessage.version)", "daemon": "\(highest)"]
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
        error.facts[silenceFact] = "yes"
        return error
    }

    private static let silenceFact = "silent"

    /// Whether the daemon runs and is silent: a retry would take as long again.
    var isSilence: Bool { facts[Self.silenceFact] != nil }
}
