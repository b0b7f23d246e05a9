// SPDX-License-Identifier: Apache-2.0

import CKeychainSupport
import Glibc
import KeychainCore
import KeychainHost
import KeychainTrust
import KeychainWire

/// The program that evaluates certificates for the system service (`keychaind --judge-certificates`): it answers the
/// questions on its standard input.
///
/// Any user may have chosen the bytes that OpenSSL parses here. So it is a separate process, without capabilities, keys
/// and further descriptors, and it is confined before it parses the first of them.
enum JudgeProgram {
    /// The option that has `keychaind` do that.
    static let option = "--judge-certificates"

    /// The lifetime in milliseconds: after that, the system's anchors and the settings are read again.
    static let lifeMilliseconds: Int32 = 5_000

    /// The memory limit: no certificate may use up the memory of the service.
    private static let maximumBytes = 512 << 20

    /// For how many seconds it may compute.
    private static let maximumComputingSeconds: UInt32 = 30

    /// Answers until its time is over, or there are no more questions.
    ///
    /// - Returns: The exit status.
    static func run() -> Int32 {
        let end = Deadline(milliseconds: lifeMilliseconds)
        // Together with those of other users it may use more memory than the service is allowed; then one of them is
        // killed, not the service.
        _ = keychain_be_ended_first()
        let judge = Result { () throws(KeychainError) in try SystemTrust.prepared(settings: .system) }
        guard confine() else { return DaemonStatus.failed.rawValue }
        while let question = nextQuestion(until: end) {
            guard let verdict = try? answer(question, judge).encoded(), send(verdict) else { break }
        }
        return DaemonStatus.done.rawValue
    }

    /// Restricts this process to its memory and its open descriptors, within limits.
    ///
    /// - Returns: `false` if the system does not support that.
    static func confine() -> Bool { keychain_confine(maximumBytes, maximumComputingSeconds) == 0 }

    private static func answer(
        _ question: SecretBytes,
        _ judge: Result<SystemTrust, KeychainError>
    ) -> JudgementVerdict {
        do throws(WireError) {
            let question = try question.withUnsafeBytes { (bytes) throws(WireError) in
                try JudgementQuestion(frame: bytes)
            }
            do throws(KeychainError) {
                let trusts = try judge.get().trusts(
                    question.certificate,
                    others: question.others,
                    for: question.policy,
                    at: question.date
                )
                return .trusts(trusts)
            } catch {
                return .failure(error)
            }
        } catch {
            return .failure(KeychainError(error))
        }
    }

    /// The next question; `nil` if there is none before the end.
    private static func nextQuestion(until end: Deadline) -> SecretBytes? {
        var reader = FrameReader()
        while true {
            guard let progress = try? reader.receive(.message, from: STDIN_FILENO) else { return nil }
            switch progress {
            case .complete: return reader.withBytes { SecretBytes(copying: $0) }
            case .ended, .failed: return nil
            case .incomplete:
                // A question that has started to arrive is waited for.
                let left = reader.isEmpty ? end.millisecondsLeft : -1
                guard left != 0 else { return nil }
                _ = SocketReadiness.wait(for: .readable, of: STDIN_FILENO, milliseconds: left)
            }
        }
    }

    private static func send(_ verdict: SecretBytes) -> Bool {
        verdict.withUnsafeBytes { keychain_send(STDOUT_FILENO, $0.baseAddress, $0.count) } == verdict.count
    }
}
