// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Glibc
import KeychainHost
import KeychainTrust

/// The program that evaluates a certificate for a program of the same user that cannot load OpenSSL itself
/// (`keychaind --evaluate-certificates`, ``TrustHelper``).
///
/// A stranger may have made the certificate. So it is confined before it parses the first byte, as ``JudgeProgram`` is.
enum EvaluationProgram {
    /// Answers the question on standard input, which is read to its end, on standard output.
    ///
    /// - Returns: The exit status.
    static func run() -> Int32 {
        let failure = TrustHelper.prepare()
        guard JudgeProgram.confine() else { return DaemonStatus.failed.rawValue }
        let question = DescriptorContents(of: STDIN_FILENO, atMost: TrustHelper.maximumBytes)
        guard question.end == .complete else { return DaemonStatus.failed.rawValue }
        let answer = Array(TrustHelper.answer(Data(question.bytes), failure))
        var written = 0
        while written < answer.count {
            let count = answer[written...].withUnsafeBytes { write(STDOUT_FILENO, $0.baseAddress, $0.count) }
            guard count > 0 || errno == EINTR else { return DaemonStatus.failed.rawValue }
            written += max(0, count)
        }
        return DaemonStatus.done.rawValue
    }
}
