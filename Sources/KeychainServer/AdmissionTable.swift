// SPDX-License-Identifier: Apache-2.0

import Glibc
import KeychainCore
import Synchronization

/// The processes that are being identified before they are admitted.
///
/// That may block indefinitely, if the file system of the executable does not respond. Each identification occupies a
/// thread, so the number of overdue ones is limited.
final class AdmissionTable: Sendable {
    private let options: ServerOptions
    private let state = Mutex(State())

    private struct State {
        var admissions: [Int32: Admission] = [:]
    }

    private struct Admission {
        let process: pid_t
        let since: UInt64
        var isOverdue = false
    }

    init(_ options: ServerOptions) { self.options = options }

    /// Whether no process is being identified.
    var isEmpty: Bool { state.withLock(\.admissions.isEmpty) }

    /// Registers a process that is about to be identified, by its socket.
    ///
    /// - Throws: `errSecNotAvailable` if an identification of it is overdue, or too many others are.
    func begin(_ socket: Int32, of process: pid_t, tick: UInt64) throws(KeychainError) {
        let isTaken = state.withLock { state in
            let overdue = state.admissions.values.filter(\.isOverdue)
            guard overdue.count < options.mostOverdueAdmissions, !overdue.contains(where: { $0.process == process })
            else { return false }
            state.admissions[socket] = Admission(process: process, since: tick)
            return true
        }
        if !isTaken { throw .overdueAdmission }
    }

    /// Removes a process that was identified.
    ///
    /// - Throws: `errSecNotAvailable` if that took too long; the process has been told so already.
    func end(_ socket: Int32) throws(KeychainError) {
        let admission = state.withLock { $0.admissions.removeValue(forKey: socket) }
        if admission?.isOverdue == true { throw .overdueAdmission }
    }

    /// Refuses each process whose identification is overdue, once and while its socket is open.
    func refuseOverdue(tick: UInt64, _ refuse: (Int32) -> Void) {
        state.withLock { state in
            for (socket, admission) in state.admissions where !admission.isOverdue {
                guard tick &- admission.since > options.ticks(options.admissionMilliseconds) else { continue }
                state.admissions[socket]?.isOverdue = true
                refuse(socket)
            }
        }
    }
}

extension KeychainError {
    static let overdueAdmission = KeychainError(
        .notAvailable,
        "the keychain daemon could not identify this program in time: the file system of its executable may not respond",
        kind: .unavailable
    )
}
