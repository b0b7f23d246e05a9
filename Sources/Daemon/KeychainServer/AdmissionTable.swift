// SPDX-License-Identifier: Apache-2.0

import Glibc
import KeychainCore
import Synchronization

/// The processes that are being identified before they are admitted.
///
/// That may block indefinitely, if the file system of the executable does not respond. Each identification occupies a
/// thread, so the number of overdue ones is limited, in total and per user. Once there are too many, only users with
/// overdue ones are refused: no user is refused because of another.
///
/// Users whose accounts are not known yet count as one user (``Account``).
///
/// A process has few places of its user's, and so has a sandbox: neither keeps the user's other programs waiting. The
/// place of an overdue identification is free for others.
final class AdmissionTable: Sendable {
    private let options: ServerOptions
    private let state = Mutex(State())

    private struct State {
        /// Those that have a place, by their socket, and overdue ones.
        var admissions: [Int32: Admission] = [:]
        var queued: [Account: [Candidate]] = [:]
    }

    private struct Admission {
        let candidate: Candidate
        var isOverdue = false
    }

    /// A process that has connected, and is to be identified.
    struct Candidate {
        let socket: Int32
        let process: pid_t
        let user: uid_t
        /// By whose limits it is identified.
        var account: Account
        let mounts: MountView
        /// The tick of its connection, later that at which its identification began.
        var since: UInt64
    }

    init(_ options: ServerOptions) { self.options = options }

    /// Whether no process is being identified.
    var isEmpty: Bool { state.withLock { $0.admissions.isEmpty && $0.queued.isEmpty } }

    /// Checks whether another connection of a process may be identified, or queued for that.
    ///
    /// - Throws: `errSecNotAvailable` if as many are already as a process may have connections.
    func checkRoom(for process: pid_t, of account: Account) throws(KeychainError) {
        let count = state.withLock { state in
            state.admissions.values.count { $0.candidate.process == process }
                + state.queued[account, default: []].count { $0.process == process }
        }
        guard count < options.maximumConnectionsPerProcess else { throw .tooManyConnections("this process") }
    }

    /// Takes one of the places of a process's account, at a tick; if all that it may take are taken, the process is
    /// queued until ``next(of:tick:)`` or ``removeOverdue(tick:)`` returns it.
    func enter(_ candidate: Candidate) -> Bool {
        state.withLock { state in
            guard hasRoom(for: candidate, in: state) else {
                state.queued[candidate.account, default: []].append(candidate)
                return false
            }
            state.admissions[candidate.socket] = Admission(candidate: candidate)
            return true
        }
    }

    /// Takes a place for a queued process of an account.
    ///
    /// - Returns: The longest-queued process that may take one, and now has it; `nil` if there is none.
    func next(of account: Account, tick: UInt64) -> Candidate? {
        state.withLock { state in
            guard var queue = state.queued[account],
                let index = queue.firstIndex(where: { hasRoom(for: $0, in: state) })
            else { return nil }
            var next = queue.remove(at: index)
            next.since = tick
            state.queued[account] = queue.isEmpty ? nil : queue
            state.admissions[next.socket] = Admission(candidate: next)
            return next
        }
    }

    /// The accounts of which a queued process may take a place.
    var accountsWithRoom: [Account] {
        state.withLock { state in
            state.queued.filter { $0.value.contains { hasRoom(for: $0, in: state) } }.map(\.key)
        }
    }

    /// Whether a process may take a place.
    private func hasRoom(for candidate: Candidate, in state: State) -> Bool {
        let ofUser = state.admissions.values.filter { $0.candidate.account == candidate.account }
        let running = ofUser.filter { !$0.isOverdue }
        guard running.count < options.maximumAdmissionsPerUser else { return false }
        let ofProcess = ofUser.count { $0.candidate.process == candidate.process }
        guard ofProcess < options.maximumAdmissionsPerProcess else { return false }
        guard candidate.mounts != .same else { return true }
        let sandboxed = running.filter { $0.candidate.mounts != .same }
        guard sandboxed.count < max(1, options.maximumAdmissionsPerUser / 2) else { return false }
        guard case .other = candidate.mounts else { return true }
        return sandboxed.count { $0.candidate.mounts == candidate.mounts } < options.maximumAdmissionsPerMountNamespace
    }

    /// Removes the queued processes whose turn did not come in time.
    func removeOverdue(tick: UInt64) -> [Candidate] {
        state.withLock { state in
            var removed: [Candidate] = []
            for (account, queue) in state.queued {
                // The longest-queued is the first.
                let overdue = queue.prefix { isOverdue(since: $0.since, tick) }
                guard !overdue.isEmpty else { continue }
                removed += overdue
                state.queued[account] = overdue.count == queue.count ? nil : Array(queue.dropFirst(overdue.count))
            }
            return removed
        }
    }

    /// Removes all queued processes.
    func removeAll() -> [Candidate] {
        state.withLock { state in
            defer { state.queued = [:] }
            return state.queued.values.flatMap(\.self)
        }
    }

    /// Checks whether a process that has a place may be identified: that may occupy a thread for ever.
    ///
    /// - Throws: `errSecNotAvailable` if an identification of it is overdue, or too many of its user or of its sandbox.
    func begin(_ candidate: Candidate) throws(KeychainError) {
        let overdue = state.withLock { $0.admissions.values.filter(\.isOverdue).map(\.candidate) }
        let ofUser = overdue.filter { $0.account == candidate.account }
        if ofUser.contains(where: { $0.process == candidate.process }) { throw .overdueAdmission }
        let isFull =
            ofUser.count >= options.maximumOverdueAdmissionsPerUser
            || overdue.count >= options.maximumOverdueAdmissions && !ofUser.isEmpty
        guard !isFull else { throw .admissionBehindOthers }
        guard candidate.mounts != .same else { return }
        let sandboxed = ofUser.filter { $0.mounts != .same }
        guard sandboxed.count < max(1, options.maximumOverdueAdmissionsPerUser / 2) else {
            throw .admissionBehindOthers
        }
        guard case .other = candidate.mounts else { return }
        guard sandboxed.count(where: { $0.mounts == candidate.mounts }) < options.maximumAdmissionsPerMountNamespace
        else { throw .admissionBehindOthers }
    }

    /// Removes a process that was identified; its place is free.
    ///
    /// - Throws: `errSecNotAvailable` if that took too long; the process has already been notified.
    func end(_ socket: Int32) throws(KeychainError) {
        let admission = state.withLock { $0.admissions.removeValue(forKey: socket) }
        if admission?.isOverdue == true { throw .overdueAdmission }
    }

    /// Refuses each process whose identification is overdue, once and while its socket is open; its place is free.
    func refuseOverdue(tick: UInt64, _ refuse: (Int32) -> Void) {
        state.withLock { state in
            for (socket, admission) in state.admissions where !admission.isOverdue {
                guard isOverdue(since: admission.candidate.since, tick) else { continue }
                state.admissions[socket]?.isOverdue = true
                refuse(socket)
            }
        }
    }

    private func isOverdue(since: UInt64, _ tick: UInt64) -> Bool {
        tick &- since > options.ticks(options.admissionMilliseconds)
    }
}

extension KeychainError {
    static let overdueAdmission = KeychainError(
        .notAvailable,
        "the keychain daemon could not identify this program in time: the file system of its executable may not respond",
        kind: .unavailable
    )

    /// The refusal of a program that is not itself the reason.
    static let admissionBehindOthers = KeychainError(
        .notAvailable,
        "the keychain daemon did not get to identifying this program: other connections of it, of its sandbox or of its "
            + "user take too long; try again later",
        kind: .unavailable
    )
}
