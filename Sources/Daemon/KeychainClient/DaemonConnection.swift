// SPDX-License-Identifier: Apache-2.0

import CKeychainSupport
import Glibc
import KeychainCore
import KeychainHost
import KeychainWire
import Synchronization

/// An open connection to a daemon, of one thread at a time.
final class DaemonConnection: Sendable {
    /// The outcome of a command.
    enum Outcome {
        case reply(KeychainReply)
        case failure(KeychainError)
        /// The daemon rejects this connection, and has executed nothing that it did not answer.
        case refused(KeychainError)
        /// The command was not accepted, and the connection has ended.
        case notTaken(KeychainError)
        /// The connection has ended, and it is not known whether the command was executed.
        case unknown(KeychainError)
    }

    private let socket: Int32
    private let serial: UInt64
    private let location: SocketLocation
    private var path: String { location.path }
    private let options: ClientOptions
    private let forkGeneration = keychain_fork_generation()
    private let user = geteuid()
    /// The version of the protocol that was agreed on.
    private let version = Atomic<UInt16>(0)
    private let number = Atomic<UInt64>(0)
    private let hasPassedDescriptor = Atomic<Bool>(false)
    // Of the one thread that uses the connection.
    private let reader = Mutex(FrameReader(keepsMore: true))
    private let polling = Mutex(BusyPoll())

    /// Connects, and sends the greeting.
    ///
    /// - Throws: `errSecNotAvailable` if no daemon listens, if it is not the user's, or if it does not support this
    ///   version.
    init(_ location: SocketLocation, _ options: ClientOptions) throws(KeychainError) {
        self.location = location
        self.options = options
        let daemonUsers: Set<UInt32>
        do throws(FileError) {
            daemonUsers = try location.daemonUsers()
        } catch {
            throw KeychainError(noDaemon: error, at: location)
        }
        socket = keychain_open_private_socket()
        let failure = errno
        serial = keychain_private_serial(socket)
        guard socket >= 0 else { throw KeychainError(call: "socket", errno: failure) }
        try connect()
        let process = try checkDaemon(runsAs: daemonUsers)
        guard let folder = options.servedFolder, !ListeningProcess(identifier: process).serves(folder) else {
            try greet()
            return
        }
        // The daemon of another folder says so in its greeting, which takes no secret.
        do throws(KeychainError) { try greet(within: Self.foreignMilliseconds) } catch {
            if error.isOfOtherFolder { throw error }
        }
        throw .foreignListener(process, on: path)
    }

    /// How long a process that is not the expected one may take to greet.
    private static let foreignMilliseconds: Int32 = 1_000

    deinit {
        if isOpen { keychain_close_private(socket) }
    }

    /// Whether the descriptor is still open.
    ///
    /// In a forked child, and after the program has closed it, as daemons do with all descriptors, its number may be
    /// that of a socket of the program: this is checked before all that is sent and received.
    private var isOpen: Bool { keychain_is_private_opening(socket, serial) }

    /// Whether the connection was opened as the user as whom the process runs now.
    var isOfThisUser: Bool { user == geteuid() }

    /// Whether the connection was opened by this process, rather than by one that it was forked from.
    var isOfThisProcess: Bool { forkGeneration == keychain_fork_generation() }

    private func connect() throws(KeychainError) {
        var pauses = Deadline.Pauses(until: options.silence)
        while true {
            guard isOpen else { throw .daemonStopped(path) }
            let failure: Int32
            do throws(FileError) {
                failure = try location.withShortPath { keychain_connect(socket, $0) }
            } catch {
                throw KeychainError(noDaemon: error, at: location)
            }
            switch failure {
            case 0: return
            // As many as may wait to be accepted do so already.
            case EAGAIN: if !pauses.wait() { throw .silence(location) }
            default:
                throw KeychainError(noDaemon: .system(call: "connect", path: path, errno: failure), at: location)
            }
        }
    }

    /// No other user can change the folder, but the listening process is nevertheless checked: the socket of another
    /// user's daemon may have been placed there.
    ///
    /// - Returns: The listening process.
    private func checkDaemon(runsAs users: Set<UInt32>) throws(KeychainError) -> pid_t {
        var process: pid_t = 0
        var user: uid_t = 0
        let failure = keychain_peer(socket, &process, &user)
        guard failure == 0 else { throw KeychainError(call: "getsockopt", errno: failure) }
        guard users.contains(user) else {
            throw KeychainError(
                .notAvailable,
                "the keychain daemon at \(path) runs as another user (\(user)), and is sent nothing",
                kind: .unavailable,
                facts: ["path": path]
            )
        }
        return process
    }

    private func greet(within milliseconds: Int32? = nil) throws(KeychainError) {
        let greeting = SecretBytes(ClientGreeting(options.versions).bytes)
        // A daemon that refuses may have closed the connection already; its reason can still be read.
        _ = send(greeting, until: { silence(milliseconds) })
        let received = next(
            .greeting,
            isLimited: { true },
            within: milliseconds,
            { (bytes) throws(WireError) in try ServerGreeting(bytes) }
        )
        let answer: ServerGreeting
        switch received {
        case .complete(let greeting): answer = greeting
        case .silent: throw .silence(location)
        case .ended: throw .daemonStopped(path)
        case .malformed: throw .notADaemon(path)
        }
        guard let version = answer.version, options.versions.contains(version) else {
            let lowest = answer.version ?? answer.lowestVersion
            throw .otherVersion(location, own: options.versions, lowest: lowest, highest: answer.highestVersion)
        }
        self.version.store(version, ordering: .relaxed)
        // At this moment no two folders have the same device and inode.
        if let served = answer.folder, let folder = options.servedFolder, let identity = FileIdentity(target: folder),
            served != FolderNumber(identity)
        {
            throw .servesAnother(folder, location)
        }
    }

    // MARK: Commands

    /// Sends a command and waits for its reply; shows prompts meanwhile if the daemon requests them.
    ///
    /// - Parameters:
    ///   - command: the command.
    ///   - canAskForSecrets: whether a user could type here.
    ///   - authenticator: shows prompts.
    ///   - mayPoll: whether so few other threads of the process wait for replies that this one may poll.
    /// - Returns: The outcome.
    func perform(
        _ command: KeychainCommand,
        canAskForSecrets: Bool,
        _ authenticator: any Authenticator,
        mayPoll: () -> Bool
    ) -> Outcome {
        // On an idle connection, the only possible message is a goodbye.
        let isQuiet = SocketReadiness.wait(for: .readable, of: socket, milliseconds: 0).isEmpty
        guard isQuiet, reader.withLock({ $0.isEmpty }) else { return farewell() }
        let version = version.load(ordering: .relaxed)
        guard command.protocolVersion <= version else {
            return .failure(.withoutCommand(command, location, version: version))
        }
        let number = number.add(1, ordering: .relaxed).newValue
        let frame: SecretBytes
        do throws(WireError) {
            frame = try WireMessage.command(number, command, canAskForSecrets: canAskForSecrets).encoded()
        } catch {
            return .failure(KeychainError(error))
        }
        let isSent: Bool
        do throws(KeychainError) { isSent = try sendRequest(frame) } catch { return .failure(error) }
        let patience: @Sendable () -> Deadline = { [options] in
            options.deadline(milliseconds: options.promptEndMilliseconds)
        }
        let questions = DaemonQuestions(authenticator, patience: patience) { [self] message in
            guard let frame = try? message.encoded() else { return }
            _ = send(frame, until: { options.silence })
        }
        defer { questions.end() }
        // A frame that was not sent completely was not executed. The daemon's reason can still be read.
        guard isSent else { return farewell() }
        pollForAnswer(while: mayPoll)
        return answer(number, questions)
    }

    private func answer(_ number: UInt64, _ questions: DaemonQuestions) -> Outcome {
        while true {
            let message: WireMessage
            switch nextMessage({ !questions.isAsking }) {
            case .complete(let received): message = received
            case .silent: return .unknown(.silentOutcome(path))
            case .ended: return .unknown(.unknownOutcome(path, "it closed the connection"))
            case .malformed(let error):
                return .unknown(.unknownOutcome(path, "its reply cannot be decoded: \(error.rawValue)"))
            }
            switch message {
            case .reply(number, let reply): return .reply(reply)
            case .failure(number, let error): return .failure(error)
            case .failure(0, let error): return .refused(error)
            case .goodbye(let last) where last < number: return .notTaken(.daemonStopped(path))
            case .goodbye: return .unknown(.unknownOutcome(path, "it closed the connection"))
            case .working(number): continue
            case .prompt(let question, let prompt): questions.ask(question, prompt)
            case .endPrompt(let question): questions.end(question)
            case .authenticatorStatus(let question): questions.sendStatus(question)
            case .command, .reply, .failure, .promptReply, .authenticator, .working, .observe, .changed:
                return .unknown(.unknownOutcome(path, "its reply does not match the command"))
            }
        }
    }

    // MARK: Changes

    /// Subscribes to changes; the connection carries no commands from then on.
    ///
    /// - Throws: why the daemon refuses.
    func observe(as client: Client) throws(KeychainError) {
        let number = number.add(1, ordering: .relaxed).newValue
        let frame: SecretBytes
        do throws(WireError) { frame = try WireMessage.observe(number, client).encoded() } catch {
            throw KeychainError(error)
        }
        // If it cannot be sent, the daemon's reason can still be read.
        _ = try sendRequest(frame)
        switch nextMessage({ true }) {
        case .complete(.reply(number, .done)): return
        case .complete(.failure(_, let error)): throw error
        case .complete(.goodbye), .ended: throw .daemonStopped(path)
        case .silent: throw .silence(location)
        case .complete, .malformed: throw .notADaemon(path)
        }
    }

    /// Becomes readable when there is a change notice.
    var descriptor: Int32 { socket }

    /// The result of reading notices.
    enum NoticeResult {
        case nothing
        case notice(ChangeNotice)
        /// The connection has ended.
        case ended

        fileprivate var isNotice: Bool { if case .notice = self { true } else { false } }
    }

    /// Reads the available notices, coalesced into one, without waiting.
    func readNotice() -> NoticeResult {
        var result = NoticeResult.nothing
        while true {
            do throws(WireError) {
                switch try receive(.message).0 {
                case .complete: break
                case .incomplete: return result
                case .ended, .failed: return result.isNotice ? result : .ended
                }
                let message = try decodeFrame { (bytes) throws(WireError) in
                    try WireMessage(frame: bytes, from: .keychain)
                }
                // The connection's end is noticed again by the next call.
                guard case .changed(_, var notice) = message else { return result.isNotice ? result : .ended }
                if case .notice(let before) = result { notice.merge(before) }
                result = .notice(notice)
            } catch {
                return result.isNotice ? result : .ended
            }
        }
    }

    /// The daemon's reason for ending the connection.
    private func farewell() -> Outcome {
        guard case .complete(.failure(0, let error)) = nextMessage({ true })
        else { return .notTaken(.daemonStopped(path)) }
        return .refused(error)
    }

    // MARK: Bytes

    private enum Received<Value> {
        case complete(Value)
        case silent
        case ended
        case malformed(WireError)
    }

    private func nextMessage(_ isLimited: () -> Bool) -> Received<WireMessage> {
        next(
            .message,
            isLimited: isLimited,
            { (bytes) throws(WireError) in try WireMessage(frame: bytes, from: .keychain) }
        )
    }

    /// Waits for a message of the daemon, until the timeout for its silence, which restarts after a prompt.
    private func next<Value>(
        _ expected: FrameReader.Expected,
        isLimited: () -> Bool,
        within milliseconds: Int32? = nil,
        _ read: (UnsafeRawBufferPointer) throws(WireError) -> Value
    ) -> Received<Value> {
        var deadline = silence(milliseconds)
        var held = 0
        var wasLimited = isLimited()
        // No reply can arrive so soon after a command was sent.
        if wasLimited, isOpen, reader.withLock({ $0.isEmpty }) {
            let ready = SocketReadiness.wait(for: .readable, of: socket, until: deadline)
            if ready.isEmpty { return .silent }
        }
        while true {
            let progress: FrameReader.Progress
            let capacity: Int
            do throws(WireError) {
                (progress, capacity) = try receive(expected)
                guard progress != .complete else { return .complete(try decodeFrame(read)) }
            } catch {
                return .malformed(error)
            }
            guard progress == .incomplete else { return .ended }
            let isLimited = isLimited()
            if capacity != held || !isLimited || !wasLimited {
                held = capacity
                wasLimited = isLimited
                deadline = silence(milliseconds)
            }
            if deadline.isOver { return .silent }
            if SocketReadiness.wait(for: .readable, of: socket, until: deadline) == .ended { return .ended }
        }
    }

    /// When a daemon that says nothing from now on is given up.
    private func silence(_ milliseconds: Int32?) -> Deadline {
        milliseconds.map(options.deadline) ?? options.silence
    }

    /// Waits for an answer by busy polling, if that is worthwhile.
    private func pollForAnswer(while mayPoll: () -> Bool) {
        guard mayPoll(), polling.withLock({ $0.begin() }) else { return }
        // About the time of a durable change on a fast disk.
        let isReadable = BusyPoll.wait(for: socket, atMost: 400, while: mayPoll)
        polling.withLock { $0.end(wasInVain: !isReadable) }
    }

    private func receive(_ expected: FrameReader.Expected) throws(WireError) -> (FrameReader.Progress, Int) {
        guard isOpen else { return (.ended, 0) }
        let result = reader.withLock { reader in
            Result { () throws(WireError) in (try reader.receive(expected, from: socket), reader.capacity) }
        }
        return try result.get()
    }

    private func decodeFrame<Value>(
        _ read: (UnsafeRawBufferPointer) throws(WireError) -> Value
    ) throws(WireError) -> Value {
        let frame = reader.withLock { reader in
            defer { reader.clear() }
            return reader.withBytes { SecretBytes(copying: $0) }
        }
        return try frame.withUnsafeBytes(read)
    }

    /// Sends a complete command or subscription, and a descriptor with the first one, as the protocol requires
    /// (``KeychainWire/WireMessage``).
    ///
    /// - Returns: Whether that was possible.
    /// - Throws: `errSecNotAvailable` if the process has no descriptors left; nothing was then sent.
    private func sendRequest(_ frame: SecretBytes) throws(KeychainError) -> Bool {
        let deadline = { [options] in options.silence }
        guard !hasPassedDescriptor.load(ordering: .relaxed) else { return send(frame, until: deadline) }
        let descriptor = keychain_event()
        guard descriptor >= 0 else { throw KeychainError(call: "eventfd", errno: errno) }
        defer { close(descriptor) }
        hasPassedDescriptor.store(true, ordering: .relaxed)
        return send(frame, passing: descriptor, until: deadline)
    }

    /// Sends all of a frame.
    ///
    /// - Parameters:
    ///   - frame: the frame.
    ///   - descriptor: a descriptor to pass with its first bytes.
    ///   - deadline: a new deadline, from now on.
    /// - Returns: Whether that was possible.
    private func send(_ frame: SecretBytes, passing descriptor: Int32? = nil, until deadline: () -> Deadline) -> Bool {
        var sent = 0
        var end = deadline()
        while sent < frame.count {
            guard isOpen else { return false }
            let count = frame.withUnsafeBytes { bytes in
                let start = bytes.baseAddress.map { $0 + sent }
                guard sent == 0, let descriptor else { return keychain_send(socket, start, bytes.count - sent) }
                return keychain_send_with(socket, descriptor, start, bytes.count)
            }
            if count >= 0 {
                sent += count
                end = deadline()
                continue
            }
            guard errno == EAGAIN || errno == EWOULDBLOCK, end.millisecondsLeft > 0 else { return false }
            let ready = SocketReadiness.wait(for: .writable, of: socket, until: end)
            if ready.contains(.ended) { return false }
        }
        return true
    }
}
