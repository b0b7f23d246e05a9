// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainIdentity
import KeychainServer
import Synchronization

/// Which processes entered the correct passcode recently, and so have the rights of the store's owner.
final class PasscodeProofs: Sendable {
    /// The lifetime of a proof.
    static let lifetime = Duration.seconds(300)

    private let proofs = Mutex<[Prover: Proof]>([:])

    /// A process and its executable: after execve(2) of another one, it is another prover.
    struct Prover: Sendable, Hashable {
        /// The process.
        var process: ProcessInstance
        /// Its executable; `nil` if it cannot be inspected.
        var executable: FileMark?
    }

    private struct Proof {
        /// The unlock that it caused, or that was in effect already.
        var unlock: UInt64
        var time: ContinuousClock.Instant
    }

    /// Records that a process has entered the correct passcode.
    ///
    /// - Parameters:
    ///   - prover: the process.
    ///   - unlock: the current unlock; the next lock ends the proof. `nil` if there is none: without a passcode nothing
    ///     was proved, and an immediate lock has ended the proof.
    ///   - time: the time of the proof.
    func record(_ prover: Prover, _ unlock: UInt64?, at time: ContinuousClock.Instant = .now) {
        guard let unlock else { return }
        proofs.withLock { proofs in
            proofs = proofs.filter { $0.value.time.advanced(by: Self.lifetime) > time }
            proofs[prover] = Proof(unlock: unlock, time: time)
        }
    }

    /// Whether a process entered it recently, with no lock since.
    func isProved(by prover: Prover, _ unlock: UInt64?, at time: ContinuousClock.Instant = .now) -> Bool {
        proofs.withLock { proofs in
            guard let unlock, let proof = proofs[prover] else { return false }
            return proof.unlock == unlock && proof.time.advanced(by: Self.lifetime) > time
        }
    }

    /// Discards every proof: the device was locked.
    func clear() { proofs.withLock { $0.removeAll() } }
}
