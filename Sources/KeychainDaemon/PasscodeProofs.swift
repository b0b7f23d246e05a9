// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainServer
import Synchronization

/// Which processes gave the right passcode a short while ago, and may do what only the owner of the store may.
final class PasscodeProofs: Sendable {
    /// For how long a proof counts.
    static let lifetime = Duration.seconds(300)

    private let times = Mutex<[ProcessInstance: ContinuousClock.Instant]>([:])

    /// Notes that a process has proved the passcode.
    func note(_ process: ProcessInstance, at time: ContinuousClock.Instant = .now) {
        times.withLock { times in
            times = times.filter { $0.value.advanced(by: Self.lifetime) > time }
            times[process] = time
        }
    }

    /// Whether a process proved it a short while ago.
    func isProved(by process: ProcessInstance, at time: ContinuousClock.Instant = .now) -> Bool {
        times.withLock { $0[process].map { $0.advanced(by: Self.lifetime) > time } ?? false }
    }

    /// Forgets every proof: the device was locked.
    func clear() { times.withLock { $0.removeAll() } }
}

extension KeychainCommand {
    /// Whether the device accepts the command only with the right passcode.
    var provesPasscode: Bool {
        switch self {
        case .device(.unlock), .device(.setPasscode), .device(.changePasscode): true
        default: false
        }
    }
}
