// SPDX-License-Identifier: Apache-2.0

package import FoundationEssentials
import Glibc
package import KeychainCore
import KeychainHost
import KeychainSupport

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
        try ask(TrustQuestion(request), of: program, atMost: milliseconds).evaluation()
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
        let process = try Process(path)
        defer { process.end() }
        try process.send(encoding, deadline)
        let answer = try process.receive(deadline)
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

    /// A helper that runs.
    private struct Process {
        private let child: pid_t
        private let socket: Int32

        init(_ path: String) throws(KeychainError) {
            var (child, socket): (pid_t, Int32) = (0, -1)
            let name = SystemAnchors.environmentVariable
            let variables = ProcessEnvironment.value(name).map { ["\(name)=\($0)"] } ?? []
            let failure = CStringVector.with([path, TrustHelper.option]) { words in
                CStringVector.with(variables) { CSupport.spawn(path, words, $0, &socket, &child) }
            }
            guard failure == 0 else {
                throw TrustHelper.failure("\(path) cannot be started (\(String(cString: strerror(failure))))")
            }
            (self.child, self.socket) = (child, socket)
        }

        /// Ends it, whatever it does: a crafted certificate may have taken it over.
        func end() {
            close(socket)
            // Where the program ignores its children, the number may be another process's.
            if waitpid(child, nil, WNOHANG) == 0 {
                kill(child, SIGKILL)
                while waitpid(child, nil, 0) < 0, errno == EINTR {}
            }
        }

        /// Sends what it reads of the question.
        func send(_ bytes: Data, _ deadline: Deadline) throws(KeychainError) {
            var sent = bytes.startIndex
            while sent < bytes.endIndex {
                try wait(for: POLLOUT, deadline)
                let count = bytes[sent...].withUnsafeBytes {
                    Glibc.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
                }
                if count > 0 {
                    sent += count
                } else if errno != EINTR && errno != EAGAIN {
                    // It has ended; what it has answered says so.
                    return
                }
            }
            shutdown(socket, Int32(SHUT_WR))
        }

        func receive(_ deadline: Deadline) throws(KeychainError) -> Data {
            var answer = Data()
            var buffer = [UInt8](repeating: 0, count: 1 << 16)
            while true {
                try wait(for: POLLIN, deadline)
                let count = recv(socket, &buffer, buffer.count, Int32(MSG_DONTWAIT))
                if count < 0, errno == EINTR || errno == EAGAIN { continue }
                if count <= 0 { return answer }
                guard answer.count + count <= TrustHelper.maximumBytes else {
                    throw TrustHelper.failure("its answer is too long")
                }
                answer += buffer[..<count]
            }
        }

        private func wait(for events: Int32, _ deadline: Deadline) throws(KeychainError) {
            while true {
                var ready = pollfd(fd: socket, events: Int16(events), revents: 0)
                let count = poll(&ready, 1, deadline.millisecondsLeft)
                if count > 0 { return }
                guard count < 0, errno == EINTR else { throw TrustHelper.failure("it takes too long") }
            }
        }
    }
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
