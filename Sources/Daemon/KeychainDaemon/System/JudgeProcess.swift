// SPDX-License-Identifier: Apache-2.0

import Glibc
import KeychainCore
import KeychainHost
import KeychainTrust
import KeychainWire
import Synchronization

/// Evaluates the certificates of one user in a process of its own (``JudgeChild``), which is started on demand, and
/// exits a few seconds later.
///
/// A failure of the process is an error, never a verdict.
final class JudgeProcess: CertificateJudge {
    private let program: String
    private let milliseconds: Int32
    private let lifeMilliseconds: Int32
    private let child = Mutex<JudgeChild?>(nil)

    /// Creates a judge.
    ///
    /// - Parameters:
    ///   - program: the path of `keychaind`; by default that of this process.
    ///   - milliseconds: the time limit for one certificate; 10 seconds.
    ///   - lifeMilliseconds: the time after which a process is no longer used, whether or not it exits by itself.
    init(
        program: String = "/proc/self/exe",
        atMost milliseconds: Int32 = 10_000,
        livingFor lifeMilliseconds: Int32 = JudgeProgram.lifeMilliseconds
    ) {
        self.program = program
        self.milliseconds = milliseconds
        self.lifeMilliseconds = lifeMilliseconds
    }

    deinit { child.withLock { $0?.end() } }

    /// Whether a chain of a certificate and others leads to an anchor that the system trusts.
    ///
    /// - Throws: `errSecNotAvailable` if OpenSSL is not installed, and if the process does not answer in time or
    ///   correctly; the error if settings cannot be read.
    func trusts(
        _ certificate: [UInt8],
        others: [[UInt8]],
        for policy: CertificatePolicy,
        at date: Timestamp
    ) throws(KeychainError) -> Bool {
        let frame: SecretBytes
        do throws(WireError) {
            frame = try JudgementQuestion(certificate, others: others, for: policy, at: date).encoded()
        } catch {
            throw KeychainError(error)
        }
        let result = child.withLock { child in
            Result { () throws(KeychainError) -> JudgementVerdict in try ask(frame, &child) }
        }
        switch try result.get() {
        case .trusts(let isTrusted): return isTrusted
        case .failure(let error): throw KeychainError(error.status, error.reason, kind: .unavailable)
        }
    }

    /// The number of the process; `nil` for none.
    var identifier: pid_t? { child.withLock { $0?.runningIdentifier } }

    private func ask(_ frame: SecretBytes, _ child: inout JudgeChild?) throws(KeychainError) -> JudgementVerdict {
        let deadline = Deadline(milliseconds: milliseconds)
        if let known = child, known.begin() {
            // It may have come to its end.
            if let verdict = try ask(frame, of: known, by: deadline, child: &child) { return verdict }
        }
        child = nil
        let started: JudgeChild
        do throws(KeychainError) { started = try JudgeChild(program, livingFor: lifeMilliseconds) } catch {
            throw Self.failure(error.reason)
        }
        guard let verdict = try ask(frame, of: started, by: deadline, child: &child) else {
            throw Self.failure("the process that judges it ended")
        }
        return verdict
    }

    /// Asks a process, which is kept if it answers correctly, and killed otherwise.
    ///
    /// - Returns: The verdict; `nil` if the process has exited.
    private func ask(
        _ frame: SecretBytes,
        of asked: JudgeChild,
        by deadline: Deadline,
        child: inout JudgeChild?
    ) throws(KeychainError) -> JudgementVerdict? {
        child = nil
        switch asked.ask(frame, deadline) {
        case .verdict(.failure(let error)) where !Self.failures.contains(error.status): asked.end()
        case .verdict(let verdict):
            child = asked
            return verdict
        case .ended: return nil
        case .overdue: throw Self.failure("it takes too long")
        case .malformed: break
        }
        throw Self.malformed
    }

    /// The possible failures of OpenSSL, and of the settings (`errSecInvalidTrustSettings`).
    ///
    /// A crafted certificate may have taken over the process, so no other status is passed on.
    private static let failures: Set<Status> = [.notAvailable, .io, .allocate, Status(rawValue: -25_262)]

    private static let malformed = failure("the process that judges it does not answer as it should")

    private static func failure(_ reason: String) -> KeychainError {
        KeychainError(.notAvailable, "a certificate cannot be judged: \(reason)", kind: .unavailable)
    }
}
