// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainIdentity
import KeychainServer
import Synchronization

/// Which processes gave the right passcode a short while ago, and may do what only the owner of the store may.
final class PasscodeProofs: Sendable {
    /// For how long a proof counts.
    static let lifetime = Duration.seconds(300)

    private let proofs = Mutex<[Prover: Proof]>([:])

    /// A process, and what it runs: after execve(2) it is another one.
    struct Prover: Sendable, Hashable {
        /// The process.
        var process: ProcessInstance
        /// Its executable; `nil` where it cannot be looked at.
        var executable: FileMark?
    }

    private struct Proof {
        /// The unlock that it brought about, or that lasted already.
        var unlock: UInt64
        var time: ContinuousClock.Instant
    }

    /// Notes that a process has proved the passcode.
    ///
    /// - Parameters:
    ///   - prover: the process.
    ///   - unlock: the unlock that lasts; with the next lock the proof ends. `nil` when there is none: without a
    ///     passcode nothing was proved, and a lock that came at once takes the proof along.
    ///   - time: when.
    func note(_ prover: Prover, _ unlock: UInt64?, at time: ContinuousClock.Instant = .now) {
        guard let unlock else { return }
        proofs.withLock { proofs in
            proofs = proofs.filter { $0.value.time.advanced(by: Self.lifetime) > time }
            proofs[prover] = Proof(unlock: unlock, time: time)
        }
    }

    /// Whether a process proved it a short while ago, with no lock since.
    func isProved(by prover: Prover, _ unlock: UInt64?, at time: ContinuousClock.Instant = .now) -> Bool {
        proofs.withLock { proofs in
            guard let unlock, let proof = proofs[prover] else { return false }
            return proof.unlock == unlock && proof.time.advanced(by: Self.lifetime) > time
        }
    }

    /// Forgets every proof: the device was locked.
    func clear() { proofs.withLock { $0.removeAll() } }
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
