// SPDX-License-Identifier: Apache-2.0

public import KeychainCore

/// Decides what a process that connects may reach.
public protocol Admission: Sendable {
    /// Looks at a process that has connected, once for each connection and before any message is read.
    ///
    /// - Parameter socket: the connected socket.
    /// - Returns: What is known of the process.
    /// - Throws: ``KeychainError`` with the reason for a refusal, which is sent to the process.
    func admit(_ socket: Int32) throws(KeychainError) -> any ConnectedPeer
}

/// A process that was admitted.
public protocol ConnectedPeer: Sendable {
    /// The process, to which authentication contexts, prompts and limits belong.
    var process: ProcessInstance { get }

    /// The sandboxed application that it belongs to, whose processes share the limits of one; `nil` for a process with
    /// limits of its own.
    var application: String? { get }

    /// What carries out its commands.
    var backend: any KeychainBackend { get }

    /// Whether to believe what the process says of biometry: in tests only, because any process could say that it
    /// recognized the user.
    var vouchesForBiometry: Bool { get }

    /// A command as this process may give it: with the client that it is, instead of the one that it says it is.
    ///
    /// - Throws: ``KeychainError``, mostly of `errSecMissingEntitlement`, for a command that it may not give.
    func permitted(_ command: KeychainCommand) throws(KeychainError) -> KeychainCommand

    /// Looks at the process again: before a command changes something, and before an answer that says something is
    /// sent.
    ///
    /// - Throws: ``KeychainError`` when it is not the process that was admitted any more; the command is not
    ///   carried out, or the answer not sent.
    func confirm() throws(KeychainError)
}

extension ConnectedPeer {
    /// None.
    public var application: String? { nil }
}

/// A process, told from all that had or will have the same number.
public struct ProcessInstance: Sendable, Hashable {
    /// The number of the process (PID), as this process sees it.
    public var identifier: Int32

    /// When it was started, in clock ticks since the host was (proc(5), `/proc/PID/stat`, field 22).
    public var startTime: UInt64

    /// A process.
    public init(identifier: Int32, startTime: UInt64) {
        self.identifier = identifier
        self.startTime = startTime
    }
}
