// SPDX-License-Identifier: Apache-2.0

import Glibc
import KeychainCore
import Synchronization

/// The processes that are being looked at before they are let in.
///
/// That may take long, or for ever: of a program on a file system whose server does not answer, nothing can be read.
/// Each such look keeps a thread, so that there may be only some.
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

    /// Whether none is looked at.
    var isEmpty: Bool { state.withLock(\.admissions.isEmpty) }

    /// Notes a process that is about to be looked at, by its socket.
    ///
    /// - Throws: `errSecNotAvailable` when looking at it has taken too long before, or at many others.
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

    /// Forgets a process that was looked at.
    ///
    /// - Throws: `errSecNotAvailable` when that took too long, which it was told already.
    func end(_ socket: Int32) throws(KeychainError) {
        let admission = state.withLock { $0.admissions.removeValue(forKey: socket) }
        if admission?.isOverdue == true { throw .overdueAdmission }
    }

    /// Finds those that take too long, and has each refused by its socket, once and while that is open.
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
        "the keychain daemon could not find out in time which program this is: the file system of its executable may not "
            + "answer",
        kind: .unavailable
    )
}
