// SPDX-License-Identifier: Apache-2.0

import CKeychainSupport
import Glibc
import KeychainCore
import KeychainHost
import KeychainTrust
import KeychainWire
import Synchronization

/// A running ``JudgeProgram``.
///
/// A thread waits for its exit, and kills it once its time is over and no question is pending: a crafted certificate
/// may have taken it over, so it cannot be relied upon to exit by itself, and an exited process remains in the system
/// until it is reaped.
final class JudgeChild: Sendable {
    private let child: SpawnedProgram
    private var socket: Int32 { child.socket }
    private let life: Deadline
    private let state = Mutex(State())

    private struct State {
        /// The caller that starts it asks the first question.
        var isAsked = true
        /// Whether it was asked to exit.
        var isOver = false
        /// Whether its number may be another's.
        var isGone = false
    }

    /// The answer to a question.
    enum Answer {
        case verdict(JudgementVerdict)
        case ended
        case overdue
        case malformed
    }

    /// Starts a process for a question.
    ///
    /// - Parameters:
    ///   - program: the path of `keychaind`.
    ///   - milliseconds: the time after which it is killed, unless a question is pending.
    /// - Throws: `errSecNotAvailable` with the reason.
    init(_ program: String, livingFor milliseconds: Int32) throws(KeychainError) {
        life = Deadline(milliseconds: milliseconds)
        let variables = ProcessEnvironment.assignments([SystemAnchors.environmentVariable])
        do throws(FileError) {
            child = try SpawnedProgram(program, ["keychaind", JudgeProgram.option], environment: variables)
        } catch {
            throw KeychainError(.notAvailable, "no process can be started: \(error)", kind: .unavailable)
        }
        guard HostThread.start(.blocked, { [self] in watch() }) else {
            end()
            reap()
            throw KeychainError(.notAvailable, "no thread can be started", kind: .unavailable)
        }
    }

    deinit { close(socket) }

    /// Its process identifier; `nil` once it was asked to exit, or has exited.
    var runningIdentifier: pid_t? { state.withLock { $0.isOver || $0.isGone ? nil : child.identifier } }

    /// Starts a question.
    ///
    /// - Returns: `false` if its time is over.
    func begin() -> Bool {
        state.withLock { state in
            guard !state.isOver, !state.isGone, !life.isOver else { return false }
            state.isAsked = true
            return true
        }
    }

    /// Kills it, regardless of what it is doing.
    func end() {
        state.withLock { state in
            state.isOver = true
            if !state.isGone { kill(child.identifier, SIGKILL) }
        }
    }

    /// Waits for its end, and for that of its time.
    private func watch() {
        while !state.withLock(\.isOver) {
            let left = life.millisecondsLeft
            // Once its time is over, the caller with the question kills it.
            if SocketReadiness.wait(for: [], of: socket, milliseconds: left > 0 ? left : -1) == .ended { break }
            let isIdle = state.withLock { state in
                if life.isOver, !state.isAsked { state.isOver = true }
                return state.isOver
            }
            if isIdle { break }
        }
        end()
        reap()
    }

    private func reap() {
        var information = siginfo_t()
        while waitid(P_PID, id_t(child.identifier), &information, WEXITED | WNOWAIT) < 0, errno == EINTR {}
        // From now on the number may be that of another process.
        state.withLock { state in
            state.isGone = true
            ExitStatus.wait(for: child.identifier)
        }
    }

    /// Asks a question, after the start or ``begin()``; kills it if its time is over then, or the answer is invalid.
    func ask(_ frame: SecretBytes, _ deadline: Deadline) -> Answer {
        let answer = exchange(frame, deadline)
        var isUsable = false
        if case .verdict = answer { isUsable = true }
        state.withLock { state in
            state.isAsked = false
            if life.isOver { isUsable = false }
        }
        if !isUsable { end() }
        return answer
    }

    private func exchange(_ frame: SecretBytes, _ deadline: Deadline) -> Answer {
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
