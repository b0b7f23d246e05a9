// SPDX-License-Identifier: Apache-2.0

import CKeychainSupport
import Glibc
import KeychainCore
import KeychainHost
import KeychainWire
import Synchronization

/// A connection of a process: the part of a message that has arrived, pending output, and the command in progress.
///
/// One thread at a time reads, without the lock of the state, because that may sleep. Several may send: the one that
/// replies, the one that cancels a prompt, and the one that reports progress. The socket is closed with the object, so
/// its number is not reused while a thread uses it.
final class Connection: Sendable {
    let number: UInt64
    let socket: Int32
    let user: uid_t
    /// The process that connected (PID): if another one writes to the socket that it inherited or was passed, the
    /// connection ends.
    let sender: pid_t
    let process: ConnectedProcess
    let peer: any ConnectedPeer
    let folder: FolderNumber?
    /// The versions of the protocol that the server supports.
    let versions: ClosedRange<UInt16>
    let state: Mutex<State>
    private let close: @Sendable (Int32) -> Void
    /// The memory of its identity.
    private let identity: HeldBytes?

    /// Whether the program has subscribed to changes.
    let isSubscribed = Atomic(false)

    /// Cancelled when the connection ends.
    let ending = PromptCancellation()

    enum Phase {
        /// The greeting has not arrived yet.
        case greeting
        /// No command is in progress.
        case idle
        /// Its command is queued.
        case waiting
        /// A command is being executed.
        case busy
        /// The program was sent a question by its command.
        case asking
        /// The program sends no commands, and is notified of changes.
        case observing
        /// Nothing is read or sent any more except pending output.
        case leaving
        /// It has ended.
        case ended
    }

    /// State that is only used while the lock of ``state`` is held.
    struct State: ~Copyable {
        var phase = Phase.greeting
        /// The version of the protocol that was agreed on.
        var version: UInt16 = 0
        /// The received part of the next message; empty while a thread receives.
        var reader = FrameReader()
        /// Whether a thread receives.
        var isReceiving = false
        /// The size of the reader's buffer, as of the last time that bytes were received.
        var readerCapacity = 0
        var pending: [SecretBytes] = []
        var sentOfFirst = 0
        var lastTaken: UInt64 = 0
        /// The queued command.
        var waiting: ReceivedCommand?
        /// The memory of the subscription.
        var subscription: HeldBytes?
        var since: UInt64
        /// Since when the command is executed, or queued, or its last question was answered.
        var workingSince: UInt64 = 0
        var sendingSince: UInt64 = 0
        var counted = 0
        /// The changes to notify the program of, once it has read what was sent before.
        var notice: ChangeNotice?
        var lastNotice: UInt64 = 0
        var polling = BusyPoll()

        /// Whether no byte of the next message has arrived, and none is being received.
        var isAtRest: Bool { !isReceiving && reader.isEmpty }

        /// Discards the received bytes.
        ///
        /// Bytes that a thread is currently receiving are discarded when it is done.
        mutating func clearReader() {
            reader.clear()
            readerCapacity = isReceiving ? readerCapacity : reader.capacity
        }
    }

    /// Creates a connection.
    ///
    /// - Parameters:
    ///   - socket: its socket.
    ///   - number: its number.
    ///   - user: the user as whom the process connected.
    ///   - sender: the process that connected (PID).
    ///   - process: the process's shared state.
    ///   - peer: the process.
    ///   - folder: the number of the served folder.
    ///   - versions: the versions of the protocol that the server supports.
    ///   - tick: the current tick.
    ///   - identity: counts the memory of the peer's identity.
    ///   - close: finally closes the socket.
    init(
        _ socket: Int32,
        number: UInt64,
        user: uid_t,
        sender: pid_t,
        process: ConnectedProcess,
        peer: any ConnectedPeer,
        folder: FolderNumber?,
        versions: ClosedRange<UInt16>,
        tick: UInt64,
        identity: HeldBytes? = nil,
        close: @escaping @Sendable (Int32) -> Void
    ) {
        self.socket = socket
        self.close = close
        self.number = number
        self.user = user
        self.sender = sender
        self.process = process
        self.peer = peer
        self.folder = folder
        self.versions = versions
        self.identity = identity
        state = Mutex(State(since: tick))
    }

    deinit {
        let counted = state.withLock { $0.counted }
        process.buffered.subtract(counted)
        close(socket)
    }

    // MARK: Sending

    /// Sends a message, or as much of it as the socket accepts; the rest is sent later.
    ///
    /// - Returns: Whether the connection remains open.
    @discardableResult
    func send(_ message: WireMessage, tick: UInt64) -> Bool {
        guard let frame = try? message.encoded() else { return false }
        return state.withLock { send(frame, in: &$0, at: tick) }
    }

    /// Sends the reply to the command in progress.
    ///
    /// - Returns: What to wait for; `nil` if the connection has ended.
    func answer(_ frame: SecretBytes, tick: UInt64, isLast: Bool) -> SocketReadiness? {
        state.withLock { state in
            guard state.phase == .busy else { return nil }
            state.phase = .idle
            state.since = tick
            guard send(frame, in: &state, at: tick) else { return nil }
            if isLast {
                leave(&state, tick)
                return state.pending.isEmpty ? nil : Self.wanted(state)
            }
            return Self.wanted(state)
        }
    }

    /// Says goodbye, unless a command is in progress.
    ///
    /// - Returns: Whether all output was sent, so that the connection can be ended.
    func sendGoodbye(tick: UInt64) -> Bool {
        state.withLock { state in
            switch state.phase {
            case .busy, .asking: return false
            case .ended: return true
            case .greeting:
                _ = enqueue(SecretBytes(ServerGreeting.beforeGreeting(versions).bytes), in: &state, at: tick)
                leave(&state, tick)
                return true
            case .idle, .waiting:
                leave(&state, tick)
                return state.pending.isEmpty
            case .observing:
                // The end does not wait for a program that does not read.
                leave(&state, tick)
                return true
            case .leaving: return state.pending.isEmpty
            }
        }
    }

    private func leave(_ state: inout State, _ tick: UInt64) {
        state.clearReader()
        // A queued command is not executed any more.
        let isTaken = state.waiting == nil
        state.waiting = nil
        _ = count(&state)
        state.phase = .leaving
        let last = isTaken ? state.lastTaken : state.lastTaken - 1
        if let frame = try? WireMessage.goodbye(last).encoded() { _ = enqueue(frame, in: &state, at: tick) }
    }

    /// Sends why the connection is refused, as far as the socket accepts it, and ends it.
    func end(_ error: KeychainError?, tick: UInt64) {
        state.withLock { state in
            guard state.phase != .ended else { return }
            if let error, let frame = try? WireMessage.failure(0, error).encoded() {
                _ = enqueue(frame, in: &state, at: tick)
            }
            state.phase = .ended
            state.clearReader()
            state.pending = []
            state.waiting = nil
            state.subscription = nil
            _ = count(&state)
            // Sent output still arrives; a thread that waits for the socket is woken.
            shutdown(socket, Int32(SHUT_RDWR))
        }
        ending.cancel()
    }

    private func send(_ frame: SecretBytes, in state: inout State, at tick: UInt64) -> Bool {
        guard state.phase != .ended, state.phase != .leaving else { return false }
        return enqueue(frame, in: &state, at: tick)
    }

    /// Sends a frame, or as much of it as the socket accepts.
    ///
    /// - Returns: Whether the connection remains open.
    func enqueue(_ frame: SecretBytes, in state: inout State, at tick: UInt64) -> Bool {
        if state.pending.isEmpty { state.sendingSince = tick }
        state.pending.append(frame)
        guard Self.flush(&state, to: socket, at: tick) else { return false }
        return count(&state)
    }

    static func flush(_ state: inout State, to socket: Int32, at tick: UInt64) -> Bool {
        while let frame = state.pending.first {
            let sent = frame.withUnsafeBytes { bytes in
                keychain_send(socket, bytes.baseAddress.map { $0 + state.sentOfFirst }, bytes.count - state.sentOfFirst)
            }
            guard sent >= 0 else { return errno == EAGAIN || errno == EWOULDBLOCK }
            state.sendingSince = tick
            state.sentOfFirst += sent
            guard state.sentOfFirst == frame.count else { continue }
            state.pending.removeFirst()
            state.sentOfFirst = 0
        }
        return true
    }

    /// What to wait for.
    static func wanted(_ state: borrowing State) -> SocketReadiness {
        state.pending.isEmpty ? .readable : .writable
    }

    // MARK: Questions

    /// Begins or ends a question to the program during its command.
    ///
    /// - Returns: Whether the connection remains open.
    func setAsking(_ isAsking: Bool, tick: UInt64) -> Bool {
        state.withLock { state in
            guard state.phase == .busy || state.phase == .asking else { return false }
            state.phase = isAsking ? .asking : .busy
            state.workingSince = tick
            return true
        }
    }

    /// What to wait for during a question to the program.
    var wanted: SocketReadiness {
        state.withLock { state in state.pending.isEmpty ? .readable : [.readable, .writable] }
    }

    // MARK: Memory

    /// Counts the memory that the connection holds, without that of its command (``HeldBytes``).
    ///
    /// - Returns: Whether the limits are kept.
    func count(_ state: inout State) -> Bool {
        let all = state.readerCapacity + state.pending.reduce(0) { $0 + $1.count }
        let held = max(0, all - HeldBytes.uncounted)
        if held < state.counted {
            process.buffered.subtract(state.counted - held)
        } else if held > state.counted {
            guard process.buffered.add(held - state.counted) else { return false }
        }
        state.counted = held
        return true
    }
}
