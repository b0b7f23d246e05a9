// SPDX-License-Identifier: Apache-2.0

import CKeychainSupport
import Glibc
import KeychainCore

/// A question on a terminal whose echo is off.
struct TerminalQuestion {
    let terminal: any QuestionTerminal
    let watch: QuestionWatch
    let keys: TypedLine.Keys
    let text: QuestionText

    /// Asks once.
    func ask() throws(QuestionEnd) -> SecretBytes { try ask { $0 } }

    /// Asks until the same is typed twice.
    func askTwice() throws(QuestionEnd) -> SecretBytes {
        try ask { (first) throws(QuestionEnd) in
            try line(after: "\(QuestionText.repetition): ") == first ? first : nil
        }
    }

    /// Prompts until `accept` accepts the answer; a rejected one differs from its repetition.
    private func ask(
        _ accept: (SecretBytes) throws(QuestionEnd) -> SecretBytes?
    ) throws(QuestionEnd) -> SecretBytes {
        var problem = text.problem
        while true {
            let lines = [problem, text.reason.map { "Reason: \($0)" }, "\(text.label): "].compactMap(\.self)
            guard let typed = try line(after: lines.joined(separator: "\n")) else {
                problem = QuestionText.tooLong
                continue
            }
            if let answer = try accept(typed) { return answer }
            problem = QuestionText.mismatch
        }
    }

    /// Reads a line.
    ///
    /// - Returns: `nil` for a line that is too long.
    private func line(after question: String) throws(QuestionEnd) -> SecretBytes? {
        try write(question)
        // The newline that is typed is not shown either.
        defer { try? write("\n") }
        var line = TypedLine(keys)
        while true {
            let event = try watch.wait(for: terminal.descriptor, POLLIN, atMost: terminal.patienceMilliseconds)
            // What is typed at another time is for another program.
            guard terminal.isOurs else { throw .unavailable }
            switch event {
            case .nothing: continue
            case .woken:
                // The process was stopped and continues.
                line = TypedLine(keys)
                try write("\n" + question)
            case .ready:
                guard let byte = try read() else { continue }
                switch line.type(byte) {
                case .more: continue
                case .complete: return line.isTooLong ? nil : line.bytes
                case .cancelled: throw .cancelled
                }
            }
        }
    }

    /// Reads a single byte, so that type-ahead is left for other programs; `nil` if there is none after all.
    private func read() throws(QuestionEnd) -> UInt8? {
        var byte: UInt8 = 0
        defer { keychain_wipe(&byte, 1) }
        let count = Glibc.read(terminal.descriptor, &byte, 1)
        if count == 1 { return byte }
        guard count < 0, errno == EAGAIN || errno == EINTR else { throw .unavailable }
        return nil
    }

    private func write(_ text: String) throws(QuestionEnd) {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(terminal.descriptor, $0.baseAddress, $0.count) }
            if count >= 0 {
                rest = rest.dropFirst(count)
            } else if errno == EAGAIN {
                _ = try watch.wait(for: terminal.descriptor, POLLOUT)
            } else if errno != EINTR {
                throw .unavailable
            }
        }
    }
}
