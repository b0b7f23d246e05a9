// SPDX-License-Identifier: Apache-2.0

import CKeychainSupport
import Glibc
import HostFiles
import KeychainCore
import KeychainTrust
import KeychainWire
import Synchronization

/// Judges the certificates of one user in a process of its own (``JudgeProgram``), which is started when one is to be
/// judged, and ends a few seconds later.
///
/// What goes wrong with it is an error, and never a verdict.
final class JudgeProcess: CertificateJudge {
    private let program: String
    private let milliseconds: Int32
    private let lifeMilliseconds: Int32
    private let child = Mutex<Child?>(nil)

    /// A judge.
    ///
    /// - Parameters:
    ///   - program: the path of `keychaind`; that of this process.
    ///   - milliseconds: how long one certificate may take; 10 seconds.
    ///   - lifeMilliseconds: after which time no process is asked any more, whether it ends by itself or not.
    init(
        program: String = "/proc/self/exe",
        atMost milliseconds: Int32 = 10_000,
        livingFor lifeMilliseconds: Int32 = JudgeProgram.lifeMilliseconds
    ) {
        self.program = program
        self.milliseconds = milliseconds
        self.lifeMilliseconds = lifeMilliseconds
    }

    /// Whether a chain of a certificate and others leads to who the system trusts.
    ///
    /// - Throws: `errSecNotAvailable` where OpenSSL is not installed, and where the process does not answer in time or
    ///   as it should; why settings cannot be read.
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
    var identifier: pid_t? { child.withLock { $0?.identifier } }

    private func ask(_ frame: SecretBytes, _ child: inout Child?) throws(KeychainError) -> JudgementVerdict {
        if let known = child, !known.isOver {
            // It may have come to its end.
            if let verdict = try ask(frame, known, &child) { return verdict }
        }
        child = nil
        let started = try Child(program, livingFor: lifeMilliseconds)
        guard let verdict = try ask(frame, started, &child) else {
            throw Self.failure("the process that judges it ended")
        }
        return verdict
    }

    /// Asks a process, which is kept if it answers as it should.
    ///
    /// - Returns: The verdict; `nil` if it has ended.
    private func ask(
        _ frame: SecretBytes,
        _ asked: Child,
        _ child: inout Child?
    ) throws(KeychainError) -> JudgementVerdict? {
        child = nil
        switch asked.ask(frame, Deadline(milliseconds: milliseconds)) {
        case .verdict(.failure(let error)) where !Self.failures.contains(error.status): throw Self.malformed
        case .verdict(let verdict):
            child = asked
            return verdict
        case .ended: return nil
        case .overdue: throw Self.failure("it takes too long")
        case .malformed: throw Self.malformed
        }
    }

    /// What may go wrong with OpenSSL, and with the settings (`errSecInvalidTrustSettings`).
    ///
    /// The process may have been taken over by who chose a certificate, so no other status is passed on.
    private static let failures: Set<Status> = [.notAvailable, .io, .allocate, Status(rawValue: -25_262)]

    private static let malformed = failure("the process that judges it does not answer as it should")

    private static func failure(_ reason: String) -> KeychainError {
        KeychainError(.notAvailable, "a certificate cannot be judged: \(reason)", kind: .unavailable)
    }

    /// A running process; it ends with the object.
    private final class Child: Sendable {
        let identifier: pid_t
        private let socket: Int32
        private let end: Deadline

        /// Whether its time is over.
        var isOver: Bool { end.isOver }

        enum Answer {
            case verdict(JudgementVerdict)
            case ended
            case overdue
            case malformed
        }

        init(_ program: String, livingFor milliseconds: Int32) throws(KeychainError) {
            end = Deadline(milliseconds: milliseconds)
            var socket: Int32 = -1
            var identifier: pid_t = 0
            let name = SystemAnchors.environmentVariable
            let variables = getenv(name).map { ["\(name)=\(String(cString: $0))"] } ?? []
            let failure = CStringVector.with(["keychaind", JudgeProgram.option]) { words in
                CStringVector.with(variables) { keychain_spawn(program, words, $0, &socket, &identifier) }
            }
            guard failure == 0 else {
                throw JudgeProcess.failure("no process can be started (\(String(cString: strerror(failure))))")
            }
            self.socket = socket
            self.identifier = identifier
        }

        deinit {
            // Nobody else waits for it, so the number is still its own.
            kill(identifier, SIGKILL)
            while waitpid(identifier, nil, 0) < 0, errno == EINTR {}
            close(socket)
        }

        func ask(_ frame: SecretBytes, _ deadline: Deadline) -> Answer {
            var sent = 0
            while sent < frame.count {
                let count = frame.withUnsafeBytes { bytes in
                    keychain_send(socket, bytes.baseAddress.map { $0 + sent }, bytes.count - sent)
                }
                if count >= 0 {
                    sent += count
                } else if errno != EAGAIN && errno != EWOULDBLOCK {
                    return .ended
                } else if !wait(for: .writable, deadline) {
                    return .overdue
                }
            }
            var reader = FrameReader()
            while true {
                guard let progress = try? reader.receive(.message, from: socket) else { return .malformed }
                switch progress {
                case .complete:
                    let verdict = reader.withBytes { try? JudgementVerdict(frame: $0) }
                    return verdict.map { .verdict($0) } ?? .malformed
                case .ended, .failed: return .ended
                case .incomplete: if !wait(for: .readable, deadline) { return .overdue }
                }
            }
        }

        private func wait(for wanted: SocketReadiness, _ deadline: Deadline) -> Bool {
            let left = deadline.millisecondsLeft
            guard left > 0 else { return false }
            _ = SocketReadiness.wait(for: wanted, of: socket, milliseconds: left)
            return true
        }
    }
}
