// SPDX-License-Identifier: Apache-2.0

package import FoundationEssentials
import Glibc
package import KeychainCore
import KeychainHost

/// A `keychaind` that evaluates certificates for a program that cannot load OpenSSL itself, because it is linked
/// statically.
///
/// The program sends a question on a socket, half-closes it, and reads the answer to its end. A failure of the helper
/// is an error, never a verdict.
package enum TrustHelper {
    /// The option that has `keychaind` answer one question.
    package static let option = "--evaluate-certificates"

    /// The maximum size of a question or an answer in bytes.
    package static let maximumBytes = 64 << 20

    /// Whether this program needs it.
    static var isNeeded: Bool { COpenSSL.isStaticProgram() != 0 }

    /// Evaluates the first certificate of a request.
    ///
    /// - Parameters:
    ///   - request: the certificates and their purposes.
    ///   - program: the path of `keychaind`; by default the one that would be started as a daemon.
    ///   - milliseconds: the time limit; 60 seconds.
    /// - Returns: The chain and all its defects.
    /// - Throws: `errSecNotAvailable` if there is no helper, or it does not answer; the errors of an evaluation.
    package static func evaluate(
        _ request: TrustRequest,
        by program: String? = nil,
        atMost milliseconds: Int32 = 60_000
    ) throws(KeychainError) -> TrustEvaluation {
        let evaluation = try ask(TrustQuestion(request), of: program, atMost: milliseconds).evaluation()
        // It has read what a stranger made, so its answer is not trusted to be about what it was asked.
        guard evaluation.isAbout(request) else { throw failure("its answer is about another certificate") }
        return evaluation
    }

    /// The anchors of the system, in DER.
    ///
    /// - Throws: as ``evaluate(_:by:atMost:)``.
    package static func systemAnchors(by program: String? = nil) throws(KeychainError) -> [[UInt8]] {
        try ask(TrustQuestion(nil), of: program, atMost: 60_000).anchors()
    }

    private static func ask(
        _ question: TrustQuestion,
        of program: String?,
        atMost milliseconds: Int32
    ) throws(KeychainError) -> TrustAnswer {
        let encoding = question.encoding
        guard encoding.count <= maximumBytes else { throw failure("there is too much to evaluate") }
        let path: String
        if let program { path = program } else { path = try installedProgram() }
        let deadline = Deadline(milliseconds: milliseconds)
        let helper = try start(path)
        defer {
            close(helper.socket)
            // A crafted certificate may have taken it over, so it may not exit by itself.
            helper.end()
        }
        try send(encoding, to: helper.socket, deadline)
        let answer = try receive(from: helper.socket, deadline)
        do throws(KeychainError) { return try TrustAnswer(encoding: answer) } catch {
            throw failure("\(path) does not answer as this version of it does")
        }
    }

    private static func installedProgram() throws(KeychainError) -> String {
        do throws(FileError) {
            if let path = try DaemonProgram.path(for: nil) { return path }
        } catch {
            throw failure("\(error)")
        }
        throw failure("it is not installed")
    }

    private static func failure(_ reason: String) -> KeychainError {
        KeychainError(
            .notAvailable,
            "this program is linked statically and cannot load OpenSSL; keychaind evaluates certificates for it, but "
                + reason,
            kind: .unavailable
        )
    }

    /// Starts the helper; as the daemon, it gets none of this program's variables but the anchors'.
    private static func start(_ path: String) throws(KeychainError) -> SpawnedProgram {
        let variables = ProcessEnvironment.assignments([SystemAnchors.environmentVariable])
        do throws(FileError) {
            return try SpawnedProgram(path, [path, option], environment: variables)
        } catch {
            throw failure("\(error)")
        }
    }

    /// Sends as much of the question as the helper reads.
    private static func send(_ bytes: Data, to socket: Int32, _ deadline: Deadline) throws(KeychainError) {
        var sent = bytes.startIndex
        while sent < bytes.endIndex {
            var ready = pollfd(fd: socket, events: Int16(POLLOUT), revents: 0)
            let waited = poll(&ready, 1, deadline.millisecondsLeft)
            if waited < 0, errno == EINTR { continue }
            guard waited > 0 else { throw overdue }
            let count = bytes[sent...].withUnsafeBytes {
                Glibc.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
            }
            if count > 0 {
                sent += count
            } else if errno != EINTR && errno != EAGAIN {
                // It has exited; what it has answered says why.
                return
            }
        }
        shutdown(socket, Int32(SHUT_WR))
    }

    private static func receive(from socket: Int32, _ deadline: Deadline) throws(KeychainError) -> Data {
        let answer = DescriptorContents(of: socket, atMost: maximumBytes, until: deadline)
        switch answer.end {
        case .complete, .failed: return Data(answer.bytes)
        case .tooLong: throw failure("its answer is too long")
        case .overdue: throw overdue
        }
    }

    private static var overdue: KeychainError { failure("it takes too long") }
}

// MARK: - The helper's side

extension TrustHelper {
    /// Loads OpenSSL and the system's anchors, so that ``answer(_:_:)`` opens no file.
    ///
    /// - Returns: The reason that there is no OpenSSL, for the answer.
    package static func prepare() -> KeychainError? {
        do throws(KeychainError) {
            try SystemTrust.prepare()
            return nil
        } catch {
            return error
        }
    }

    /// Answers a question, with the OpenSSL of this process.
    ///
    /// - Parameters:
    ///   - question: its encoding.
    ///   - failure: the result of ``prepare()``.
    /// - Returns: The encoding of the answer.
    package static func answer(_ question: Data, _ failure: KeychainError?) -> Data {
        do throws(KeychainError) {
            if let failure { throw failure }
            guard let request = try TrustQuestion(encoding: question).trustRequest() else {
                return TrustAnswer(anchors: try SystemAnchors.encodings()).encoding
            }
            return TrustAnswer(try TrustEvaluator.evaluateHere(request)).encoding
        } catch {
            return TrustAnswer(error).encoding
        }
    }
}
