// SPDX-License-Identifier: Apache-2.0

import CKeychainSupport
import Glibc
import KeychainCore
import KeychainHost
import KeychainTrust
import KeychainWire

/// The program that judges certificates for the system service (`keychaind --judge-certificates`): it answers the
/// questions on its standard input.
///
/// Any user may have chosen the bytes that it has the library of OpenSSL read. So it is a process of its own, without
/// capabilities, keys and further descriptors, and it is confined before it reads the first of them.
enum JudgeProgram {
    /// The option that has `keychaind` do that.
    static let option = "--judge-certificates"

    /// How long it lives, in milliseconds: afterwards the anchors of the system, and the settings, are read anew.
    static let lifeMilliseconds: Int32 = 5_000

    /// How much memory it may use: no certificate may take that of the service.
    private static let mostBytes = 512 << 20

    /// For how many seconds it may compute.
    private static let mostSeconds: UInt32 = 30

    /// Answers until its time is over, or nobody asks any more.
    ///
    /// - Returns: The exit status.
    static func run() -> Int32 {
        let end = Deadline(milliseconds: lifeMilliseconds)
        // Together with those of other users it may take more memory than the service may; then one of them ends, and
        // not the service.
        _ = keychain_be_ended_first()
        let judge = Result { () throws(KeychainError) in try SystemTrust.prepared(settings: .system) }
        guard keychain_confine(mostBytes, mostSeconds) == 0 else { return DaemonStatus.failed.rawValue }
        while let question = nextQuestion(until: end) {
            guard let verdict = try? answer(question, judge).encoded(), send(verdict) else { break }
        }
        return DaemonStatus.done.rawValue
    }

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

    /// The next question; `nil` when there is none before the end.
    private static func nextQuestion(until end: Deadline) -> SecretBytes? {
        var reader = FrameReader()
        while true {
            guard let progress = try? reader.receive(.message, from: STDIN_FILENO) else { return nil }
            switch progress {
            case .complete: return reader.withBytes { SecretBytes(copying: $0) }
            case .ended, .failed: return nil
            case .incomplete:
                // A question that has begun is waited for.
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
