// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// Decides which processes may connect, and what they may access.
package protocol Admission: Sendable {
    /// Identifies a process that has connected, once for each connection and before any message is read.
    ///
    /// - Parameter socket: the connected socket.
    /// - Returns: The process.
    /// - Throws: ``KeychainError`` with the reason for a refusal, which is sent to the process.
    func admit(_ socket: Int32) throws(KeychainError) -> any ConnectedPeer

    /// Whether a user was admitted before, or needs no look-up to be; must not wait.
    ///
    /// All other users together have the limits of one user until they are admitted: one user may connect as thousands
    /// of them (subuid(5)).
    func isKnown(_ user: UInt32) -> Bool

    /// Whether nothing is served any longer, so that programs have to find the next daemon: checked before a process is
    /// admitted, and before a command is executed.
    var isOver: Bool { get }
}

extension Admission {
    /// `true`: no user is looked up.
    package func isKnown(_ user: UInt32) -> Bool { true }

    /// `false`: it is served until the server is stopped.
    package var isOver: Bool { false }
}

/// A process that was admitted.
package protocol ConnectedPeer: Sendable {
    /// The process, which owns authentication contexts and prompts, and to which limits apply.
    var process: ProcessInstance { get }

    /// The sandboxed application that it is part of, whose processes share limits; `nil` for a process with limits of
    /// its own.
    var application: String? { get }

    /// Whether it is in a sandbox: all processes of a user in sandboxes that are not identified share limits, because
    /// one of them may start any number of processes, and sandboxes within its own.
    var isSandboxed: Bool { get }

    /// What to call the program in a question to the user: the path of its executable, or the sandboxed application;
    /// `nil` if it is not known.
    var programName: String? { get }

    /// The approximate number of bytes that the daemon keeps of its identity for each connection; they count as those
    /// of messages.
    var keptByteCount: Int { get }

    /// The backend that executes its commands.
    var backend: any KeychainBackend { get }

    /// Whether to trust what the process reports about biometry: in tests only, because any process could claim to have
    /// recognized the user.
    var vouchesForBiometry: Bool { get }

    /// A command as this process may send it: with its proved client, instead of the one that it claims to be.
    ///
    /// - Throws: ``KeychainError``, mostly of `errSecMissingEntitlement`, for a command that it may not send.
    func permitted(_ command: KeychainCommand) throws(KeychainError) -> KeychainCommand

    /// Executes a command.
    ///
    /// - Parameters:
    ///   - permitted: the command, as ``permitted(_:)`` returned it.
    ///   - command: the command, as the process sent it.
    /// - Returns: Its reply.
    /// - Throws: ``KeychainError``, like ``backend``.
    func perform(_ permitted: KeychainCommand, sentAs command: KeychainCommand) throws(KeychainError) -> KeychainReply

    /// Checks the process again: before a command changes something, and before a reply that carries data is sent.
    ///
    /// - Throws: ``KeychainError`` if it is no longer the program that was admitted; the command is not executed, or
    ///   the reply not sent.
    func confirm() throws(KeychainError)

    /// The changes of other programs of which the process may be notified.
    ///
    /// - Parameter client: the client that the process claims to be.
    /// - Returns: The permitted groups.
    /// - Throws: ``KeychainError`` if it may not subscribe.
    func changeFilter(for client: Client) throws(KeychainError) -> ChangeFilter

    /// Called with the result of each command before it is sent; must not block.
    ///
    /// - Parameters:
    ///   - command: the command as the process sent it.
    ///   - result: its reply, or why it was refused or failed.
    func finished(_ command: KeychainCommand, _ result: Result<KeychainReply, KeychainError>)
}

extension ConnectedPeer {
    /// None: the process may not subscribe.
    package func changeFilter(for client: Client) throws(KeychainError) -> ChangeFilter {
        throw KeychainError(.missingEntitlement, "this keychain has no notifications of changes")
    }

    /// Has the ``backend`` execute it.
    package func perform(
        _ permitted: KeychainCommand,
        sentAs command: KeychainCommand
    ) throws(KeychainError) -> KeychainReply {
        try backend.perform(permitted)
    }

    /// Does nothing.
    package func finished(_ command: KeychainCommand, _ result: Result<KeychainReply, KeychainError>) {}
}

extension ConnectedPeer {
    /// None.
    package var application: String? { nil }

    /// Not in a sandbox.
    package var isSandboxed: Bool { false }

    /// None.
    package var programName: String? { nil }

    /// None.
    package var keptByteCount: Int { 0 }
}

/// A process, distinguished from earlier and later ones with the same PID.
package struct ProcessInstance: Sendable, Hashable {
    /// Its PID, in the PID namespace of this process.
    package var identifier: Int32

    /// When it was started, in clock ticks since boot (proc(5), `/proc/PID/stat`, field 22).
    package var startTime: UInt64

    /// A process.
    package init(identifier: Int32, startTime: UInt64) {
        self.identifier = identifier
        self.startTime = startTime
    }
}
