// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Glibc
import KeychainAudit
import KeychainCore
import KeychainEngine
import KeychainHost
import KeychainIdentity
import KeychainProtection
import KeychainServer
import LoginManager
import Synchronization

/// The keychain of one user in the system service.
///
/// Its store is opened by the first command, and closed again once no program is connected and it holds no unlocked
/// keys.
final class Partition: ServedKeychain {
    /// Its user.
    let user: uid_t

    private let location: KeychainLocation
    private let options: PartitionOptions
    private let proofs = PasscodeProofs()
    private let life: DaemonLife
    // Held while the store is being opened: only commands of the same user wait for that.
    private let opening = Mutex<Void>(())
    private let moves: Mutex<PartitionMoves>
    // Whether a step of a move is under way: others of the same user then occupy no thread.
    private let isInStep = Mutex(false)
    private let state = Mutex(State())
    private let identities = Mutex<IdentityService?>(nil)
    private let audit = Mutex<AuditLog?>(nil)
    /// The locks that session events request.
    let locks = LockRequests()
    // Held while the log is read: at most one program of the user has it read at a time.
    private let readingAudit = Mutex<Void>(())

    /// The maximum size of each of the two files of its log; 1 MiB.
    static let maximumAuditBytes = 1 << 20

    /// The maximum number of records that wait to be written.
    private static let maximumWaitingAuditRecords = 1024

    private struct State {
        var opened: OpenedStore?
        var calls = 0
    }

    init(of user: uid_t, _ options: PartitionOptions) {
        self.user = user
        self.options = options
        location = KeychainLocation(path: "\(options.folder)/\(user)")
        moves = Mutex(PartitionMoves(of: location, options))
        life = DaemonLife(endsWhenIdleFor: options.idleSeconds, holdsKeys: { false }, wake: {})
    }

    /// Whether a program of its user is connected.
    var hasConnections: Bool { life.hasConnections }

    /// Whether its store is open.
    var isOpen: Bool { state.withLock { $0.opened != nil } }

    /// The program of this user that connected.
    ///
    /// - Parameters:
    ///   - socket: the connection.
    ///   - peer: its other end.
    /// - Returns: The program.
    /// - Throws: ``KeychainError`` if the program cannot be identified, or the folder cannot be used.
    func program(at socket: Int32, of peer: PeerUser) throws(KeychainError) -> UserProgram {
        try checkAccount()
        let audit = try auditLog()
        do throws(KeychainError) {
            let programs = ServedPrograms(
                keychain: self,
                identities: try identityService(),
                proofs: proofs,
                life: life,
                isSystemService: true,
                audit: audit
            )
            return try programs.program(at: socket)
        } catch {
            audit?.recordRefusal(of: peer, error)
            throw error
        }
    }

    /// The commands of the engine, and those of the system service alone.
    var families: CommandFamily { [.dataProtection, .move] }

    /// Executes a command; the first one opens the store.
    func carryOut(_ command: KeychainCommand) throws(KeychainError) -> KeychainReply {
        switch command {
        case .maintenance(.takeOver): try takeOver()
        case .maintenance(.giveBack(let onlyIfEmpty)): try giveBack(onlyIfEmpty: onlyIfEmpty)
        case .maintenance(.auditLog(let number)): return .auditPage(try auditPage(after: number))
        case let command where command.has(.endsContext):
            // A store that is not open knows no context, and is not opened for the end of one.
            guard let keychain = beginIfOpen() else { break }
            return try use(keychain) { (keychain) throws(KeychainError) in try keychain.perform(command) }
        default: return try withKeychain { (keychain) throws(KeychainError) in try keychain.perform(command) }
        }
        return .done
    }

    func move(_ step: StoreMove, by process: ProcessInstance) throws(KeychainError) -> KeychainReply {
        guard case .step = step else { return try performMove(step, by: process) }
        let isFirst = isInStep.withLock { isInStep in
            defer { isInStep = true }
            return !isInStep
        }
        guard isFirst else { throw Self.isMoving }
        defer { isInStep.withLock { $0 = false } }
        let reply = try performMove(step, by: process)
        proofs.clear()
        // It checks the store, and discards the keys of one whose owner has changed.
        _ = try? state.withLock { $0.opened?.keychain }?.currentUnlock()
        return reply
    }

    private func performMove(_ step: StoreMove, by process: ProcessInstance) throws(KeychainError) -> KeychainReply {
        try withMoves { (moves) throws(KeychainError) in try moves.perform(step, by: process) }
    }

    /// Lets one call in at a time; those that come during a long step are refused after a moment.
    private func withMoves<Value: Sendable>(
        _ body: @Sendable (inout PartitionMoves) throws(KeychainError) -> Value
    ) throws(KeychainError) -> Value {
        var pauses = Deadline.Pauses(until: Deadline(milliseconds: Self.patienceMilliseconds))
        while true {
            let result = moves.withLockIfAvailable { moves in
                Result { () throws(KeychainError) -> Value in try body(&moves) }
            }
            if let result { return try result.get() }
            guard pauses.wait() else { throw Self.isMoving }
        }
    }

    private static let isMoving = KeychainError(
        .notAvailable,
        "the system service is moving the keychain; try again once that is done",
        kind: .unavailable
    )

    private static let patienceMilliseconds: Int32 = 1_000

    /// Makes the service the owner of the store again, after ``giveBack(onlyIfEmpty:)``.
    private func takeOver() throws(KeychainError) {
        try withMoves { (moves) throws(KeychainError) in
            try moves.checkIsIdle()
            let store = EmbeddedKeychain(at: location, of: .embedded, options.device)
            do throws(KeychainError) {
                if try store.checkOwner() { try store.handOver(to: .system) }
            } catch {
                guard error.foreignOwner == .system else { throw error }
            }
        }
    }

    /// Makes the service refuse its own store: each program that still sends commands here then finds that the user's
    /// keychain is elsewhere.
    private func giveBack(onlyIfEmpty: Bool) throws(KeychainError) {
        try withMoves { (moves) throws(KeychainError) in
            try moves.checkIsIdle()
            do throws(KeychainError) {
                try withKeychain { (keychain) throws(KeychainError) in
                    try keychain.handOver(to: .embedded, onlyIfEmpty: onlyIfEmpty)
                }
            } catch {
                guard error.foreignOwner == .embedded else { throw error }
            }
        }
        proofs.clear()
    }

    /// The log entries of the user's programs after a given number; the store is not opened for it.
    private func auditPage(after number: Int) throws(KeychainError) -> AuditPage {
        let isOn = options.audit != nil
        if audit.withLock({ $0?.ends(at: number) }) == true { return AuditPage(isOn: isOn, end: number) }
        let result = readingAudit.withLock { _ in
            Result { () throws(KeychainError) -> AuditPage in
                let folder = try folder { (location) throws(FileError) in try PrivateDirectory(existing: location) }
                return try AuditPage(of: folder, after: number, isOn: isOn)
            }
        }
        return try result.get()
    }

    /// Writes what was logged, and logs no more.
    func closeAudit(until limit: DispatchTime) { audit.withLock(\.self)?.close(until: limit) }

    /// The log of the user's programs; `nil` if nothing is logged.
    private func auditLog() throws(KeychainError) -> AuditLog? {
        guard let settings = options.audit else { return nil }
        let result = audit.withLock { known in
            Result { () throws(KeychainError) -> AuditLog in
                if let known { return known }
                let made = AuditLog(
                    in: try folder { (location) throws(FileError) in try PrivateDirectory(location) },
                    fixed: settings,
                    log: options.log,
                    maximumBytes: Self.maximumAuditBytes,
                    maximumWaitingRecords: Self.maximumWaitingAuditRecords
                )
                known = made
                return made
            }
        }
        return try result.get()
    }

    private func folder<Folder>(
        _ open: (KeychainLocation) throws(FileError) -> Folder
    ) throws(KeychainError) -> Folder {
        do throws(FileError) { return try open(location) } catch { throw KeychainError(error) }
    }

    func currentUnlock() throws(KeychainError) -> UInt64? {
        try withKeychain { (keychain) throws(KeychainError) in try keychain.currentUnlock() }
    }

    func accessGroups() throws(KeychainError) -> [String] {
        try withKeychain { (keychain) throws(KeychainError) in try keychain.accessGroups() }
    }

    private func withKeychain<Result>(
        _ body: (EmbeddedKeychain) throws(KeychainError) -> Result
    ) throws(KeychainError) -> Result {
        try use(try begin(), body)
    }

    /// Runs `body` with the keychain of a command that was counted as in progress.
    private func use<Result>(
        _ keychain: EmbeddedKeychain,
        _ body: (EmbeddedKeychain) throws(KeychainError) -> Result
    ) throws(KeychainError) -> Result {
        defer { state.withLock { $0.calls -= 1 } }
        do throws(KeychainError) { return try body(keychain) } catch { throw options.explained(error, of: location) }
    }

    /// Refuses the keychain to an account that reuses the user ID of another one; creates a folder only for a log.
    private func checkAccount() throws(KeychainError) {
        do {
            let isLogged = options.audit != nil
            let folder = isLogged ? try PrivateDirectory(location) : try PrivateDirectory(existing: location)
            guard let folder else { return }
            try PartitionAccount.bind(folder, to: options.accountName(user), user)
        } catch {
            throw KeychainError(.notAvailable, "\(error)", kind: .unavailable)
        }
    }

    /// Whether an event locks the device; a store that is not open holds no keys.
    func isConcerned(by event: LoginEvent) -> Bool { event.locks(user) && isOpen }

    /// Locks the device for an event of a session of the user, on another thread; until then the event is in `group`.
    func lock(for event: LoginEvent, _ group: DispatchGroup, _ log: DaemonLog) {
        locks.request(in: group) { [self] in
            guard let keychain = state.withLock({ $0.opened?.keychain }) else { return }
            SessionLock.handle(event, of: user, keychain: keychain, proofs: proofs, log: log)
        }
    }

    /// Closes the store if no program has been connected for a while and nothing is lost by that.
    func closeIfIdle() {
        // Nothing is abandoned during a long step. Removing many rows takes long, and others' keychains do not wait for
        // it.
        if moves.withLockIfAvailable({ $0.isAbandoned }) == true {
            _ = HostThread.start(.blocked) { [self] in moves.withLockIfAvailable { $0.removeAbandoned() } }
        }
        guard life.isIdle else { return }
        // It is closed once the lock is released.
        _ = state.withLock { state -> OpenedStore? in
            guard state.calls == 0, let opened = state.opened, !opened.keychain.holdsUnlockedKeys else { return nil }
            state.opened = nil
            return opened
        }
    }

    /// The keychain, with a command counted as in progress.
    private func begin() throws(KeychainError) -> EmbeddedKeychain {
        if let keychain = beginIfOpen() { return keychain }
        let result = opening.withLock { _ in
            Result { () throws(KeychainError) -> EmbeddedKeychain in
                if let keychain = beginIfOpen() { return keychain }
                let opened = try options.store(at: location, of: user)
                state.withLock { state in
                    state.opened = opened
                    state.calls += 1
                }
                return opened.keychain
            }
        }
        return try result.get()
    }

    private func beginIfOpen() -> EmbeddedKeychain? {
        state.withLock { state in
            guard let opened = state.opened else { return nil }
            state.calls += 1
            return opened.keychain
        }
    }

    private func identityService() throws(KeychainError) -> IdentityService {
        let result = identities.withLock { known in
            Result { () throws(KeychainError) -> IdentityService in
                if let known { return known }
                let made = try options.identities(location)
                known = made
                return made
            }
        }
        return try result.get()
    }
}
