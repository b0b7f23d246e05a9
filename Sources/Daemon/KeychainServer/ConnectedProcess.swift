// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import Synchronization

/// A process with connections: the state that they share.
package final class ConnectedProcess: Sendable {
    let instance: ProcessInstance
    let peer: any ConnectedPeer
    /// The processes that it shares limits with.
    let share: Share
    /// An unpredictable number for the share; not 0.
    let shareNumber: UInt64
    /// The queue of its prompts.
    let promptQueue: UInt64
    let buffered: BufferedBytes

    /// The unit to which a limit applies.
    package struct Share: Sendable, Hashable {
        /// The user as whom it connected.
        package let user: UInt32
        let program: Program

        enum Program: Sendable, Hashable {
            case process(ProcessInstance)
            case application(String)
            case unidentifiedSandboxes

            init(_ peer: any ConnectedPeer) {
                if let application = peer.application {
                    self = .application(application)
                } else {
                    self = peer.isSandboxed ? .unidentifiedSandboxes : .process(peer.process)
                }
            }
        }

        init(user: UInt32, program: Program) {
            self.user = user
            self.program = program
        }

        /// That of a process which was not identified.
        init(_ process: Int32, as user: UInt32) {
            self.init(user: user, program: .process(ProcessInstance(identifier: process, startTime: 0)))
        }
    }

    // Queue 0 is that of an authenticator with a single queue.
    private static let queues = Atomic<UInt64>(0)

    private let connections = Atomic<Int>(0)

    init(_ peer: any ConnectedPeer, share: Share, buffered: BufferedBytes) {
        instance = peer.process
        self.peer = peer
        self.share = share
        shareNumber = UInt64(truncatingIfNeeded: share.hashValue) | 1
        self.buffered = buffered
        promptQueue = Self.queues.add(1, ordering: .relaxed).newValue
    }

    /// Adds a connection.
    func addConnection() { connections.add(1, ordering: .relaxed) }

    /// Counts what is kept of the identity of one of its connections.
    ///
    /// - Throws: `errSecNotAvailable` if that is more than the limits allow.
    func hold(identityOf peer: any ConnectedPeer) throws(KeychainError) -> HeldBytes {
        guard let held = HeldBytes(peer.keptByteCount, of: buffered) else { throw .tooMuchBuffered }
        return held
    }

    /// Removes a connection.
    ///
    /// - Returns: Whether it was the last.
    func removeConnection() -> Bool { connections.subtract(1, ordering: .relaxed).newValue == 0 }
}

/// The connected processes, and their contexts.
final class ProcessTable: Sendable {
    private let options: ServerOptions
    private let buffered: BufferedBytes
    private let state: Mutex<State>

    private struct State {
        var processes: [Member: ConnectedProcess] = [:]
        /// The counts of users, each for as long as anything counts in it.
        var users: [UInt32: Weak] = [:]
        var contexts: ContextTable
        var connectionsOf: [ConnectedProcess.Share: Int] = [:]
    }

    private struct Weak {
        weak var buffered: BufferedBytes?
    }

    /// A process as one user: it may connect as several, one after the other.
    private struct Member: Hashable {
        let process: ProcessInstance
        let user: UInt32

        init(_ process: ConnectedProcess) { self.init(process.instance, process.share.user) }

        init(_ process: ProcessInstance, _ user: UInt32) {
            self.process = process
            self.user = user
        }
    }

    init(_ options: ServerOptions) {
        self.options = options
        state = Mutex(State(contexts: ContextTable(options)))
        buffered = BufferedBytes(atMost: options.maximumBufferedBytes)
    }

    /// Adds a connection of a peer's process.
    ///
    /// - Throws: `errSecNotAvailable` if the process has too many.
    func join(_ peer: any ConnectedPeer, of user: UInt32) throws(KeychainError) -> ConnectedProcess {
        let process: ConnectedProcess? = state.withLock { state in
            let known = state.processes[Member(peer.process, user)]
            let share = known?.share ?? .init(user: user, program: .init(peer))
            guard state.connectionsOf[share, default: 0] < options.maximumConnectionsPerProcess else { return nil }
            state.connectionsOf[share, default: 0] += 1
            let process = known ?? add(peer, share: share, to: &state)
            process.addConnection()
            return process
        }
        guard let process else { throw .tooManyConnections("this process") }
        return process
    }

    private func add(
        _ peer: any ConnectedPeer,
        share: ConnectedProcess.Share,
        to state: inout State
    ) -> ConnectedProcess {
        let ofUser = count(of: share.user, &state)
        let process = ConnectedProcess(
            peer,
            share: share,
            buffered: BufferedBytes(atMost: options.maximumBufferedBytesPerProcess, within: ofUser)
        )
        state.processes[Member(process)] = process
        return process
    }

    /// The count of a user's bytes: also of those of commands whose processes have gone, while they are executed.
    private func count(of user: UInt32, _ state: inout State) -> BufferedBytes {
        if let known = state.users[user]?.buffered { return known }
        let made = BufferedBytes(atMost: options.maximumBufferedBytesPerUser, within: buffered)
        state.users = state.users.filter { $0.value.buffered != nil }
        state.users[user] = Weak(buffered: made)
        return made
    }

    /// Counts a socket that remains open as a connection, until ``release(_:)``.
    func retain(_ share: ConnectedProcess.Share) { state.withLock { $0.connectionsOf[share, default: 0] += 1 } }

    func release(_ share: ConnectedProcess.Share) { state.withLock { $0.connectionsOf.subtractOne(share) } }

    /// Removes a connection.
    ///
    /// - Returns: For the last connection of a process, its contexts, which have to be released: their open prompts
    ///   then end.
    func leave(_ process: ConnectedProcess) -> [Bytes16] {
        state.withLock { state in
            state.connectionsOf.subtractOne(process.share)
            guard process.removeConnection() else { return [] }
            state.processes[Member(process)] = nil
            return state.contexts.removeAll(of: process)
        }
    }

    /// Lets a process use contexts: its own, and new ones, which become its own if they are added.
    ///
    /// - Throws: ``AuthenticationFailure/invalidContext`` for one of another process.
    func claim(
        _ contexts: [Bytes16],
        for process: ConnectedProcess,
        adding isAdding: Bool = true
    ) throws(KeychainError) {
        for context in contexts {
            let claim = state.withLock { state -> ContextTable.Claim in
                // Contexts of a process whose connections have ended would never be released.
                guard state.processes[Member(process)] === process else { return .refused }
                return state.contexts.claim(context, for: process, adding: isAdding)
            }
            switch claim {
            case .granted(displacing: nil): break
            case .granted(displacing: let displaced?): displaced.process.release(displaced.context)
            case .refused:
                var error = KeychainError(AuthenticationFailure.invalidContext)
                error.reason = "the authentication context belongs to another process"
                throw error
            }
        }
    }

    /// Removes a context that its process has released.
    func forget(_ context: Bytes16, of process: ConnectedProcess) {
        state.withLock { $0.contexts.remove(context, of: process) }
    }

    /// Releases those of a command's contexts that no longer belong to its process: the keychain may have used them
    /// again while it executed the command.
    func releaseDisplaced(_ contexts: [Bytes16], of process: ConnectedProcess) {
        guard !contexts.isEmpty else { return }
        let displaced = state.withLock { state in contexts.filter { !state.contexts.belongs($0, to: process) } }
        for context in displaced { process.release(context) }
    }
}

extension KeychainError {
    static func tooManyConnections(_ whose: String) -> KeychainError {
        KeychainError(
            .notAvailable,
            "the keychain daemon has reached its limit of connections of \(whose); close some, or try again later",
            kind: .unavailable
        )
    }
}
