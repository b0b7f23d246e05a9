// SPDX-License-Identifier: Apache-2.0

import Glibc
import KeychainCore
import Synchronization

/// The processes that are being identified before they are admitted.
///
/// That may block indefinitely, if the file system of the executable does not respond. Each identification occupies a
/// thread, so the number of overdue ones is limited, in total and per user. Once there are too many, only users with
/// overdue ones are refused: no user is refused because of another.
final class AdmissionTable: Sendable {
    private let options: ServerOptions
    private let state = Mutex(State())

    private struct State {
        var admissions: [Int32: Admission] = [:]
        var running: [uid_t: Int] = [:]
        var queued: [uid_t: [Candidate]] = [:]
    }

    private struct Admission {
        let process: pid_t
        let user: uid_t
        let since: UInt64
        var isOverdue = false
    }

    /// A process that has connected, and is to be identified.
    struct Candidate {
        let socket: Int32
        let process: pid_t
        let user: uid_t
        /// The tick of its connection.
        let since: UInt64
    }

    init(_ options: ServerOptions) { self.options = options }

    /// Whether no process is being identified.
    var isEmpty: Bool { state.withLock { $0.admissions.isEmpty && $0.queued.isEmpty } }

    /// Takes one of the places of a process's user; if all are taken, the process is queued until ``next(of:)`` or
    /// ``removeOverdue(tick:)`` returns it.
    func enter(_ candidate: Candidate) -> Bool {
        state.withLock { state in
            guard state.running[candidate.user, default: 0] < options.maximumAdmissionsPerUser else {
                state.queued[candidate.user, default: []].append(candidate)
                return false
            }
            state.running[candidate.user, default: 0] += 1
            return true
        }
    }

    /// Passes on a user's place.
    ///
    /// - Returns: The longest-queued process, which now has the place; `nil` if none is queued.
    func next(of user: uid_t) -> Candidate? {
        state.withLock { state in
            guard var queue = state.queued[user] else {
                state.running.subtractOne(user)
                return nil
            }
            let next = queue.removeFirst()
            state.queued[user] = queue.isEmpty ? nil : queue
            return next
        }
    }

    /// Removes the queued processes whose turn did not come in time.
    func removeOverdue(tick: UInt64) -> [Candidate] {
        state.withLock { state in
            var removed: [Candidate] = []
            for (user, queue) in state.queued {
                // The longest-queued is the first.
                let overdue = queue.prefix { isOverdue(since: $0.since, tick) }
                guard !overdue.isEmpty else { continue }
                removed += overdue
                state.queued[user] = overdue.count == queue.count ? nil : Array(queue.dropFirst(overdue.count))
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

    /// Registers a process that is about to be identified, by its socket.
    ///
    /// - Throws: `errSecNotAvailable` if an identification of it is overdue, or one of its user is and too many are.
    func begin(_ candidate: Candidate, tick: UInt64) throws(KeychainError) {
        let isTaken = state.withLock { state in
            let overdue = state.admissions.values.filter(\.isOverdue)
            let isFull = overdue.count >= options.maximumOverdueAdmissions
            guard !overdue.contains(where: { $0.process == candidate.process || isFull && $0.user == candidate.user })
            else { return false }
            state.admissions[candidate.socket] = Admission(
                process: candidate.process,
                user: candidate.user,
                since: tick
            )
            return true
        }
        if !isTaken { throw .overdueAdmission }
    }

    /// Removes a process that was identified.
    ///
    /// - Throws: `errSecNotAvailable` if that took too long; the process has already been notified.
    func end(_ socket: Int32) throws(KeychainError) {
        let admission = state.withLock { $0.admissions.removeValue(forKey: socket) }
        if admission?.isOverdue == true { throw .overdueAdmission }
    }

    /// Refuses each process whose identification is overdue, once and while its socket is open.
    func refuseOverdue(tick: UInt64, _ refuse: (Int32) -> Void) {
        state.withLock { state in
            for (socket, admission) in state.admissions where !admission.isOverdue {
                guard isOverdue(since: admission.since, tick) else { continue }
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
}
