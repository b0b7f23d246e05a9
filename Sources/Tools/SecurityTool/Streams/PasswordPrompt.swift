// SPDX-License-Identifier: Apache-2.0

import Glibc
import KeychainCore

/// Reads passwords: as getpass(3) does, or from standard input with `-S`.
struct PasswordPrompt {
    /// The source of lines if there is no terminal.
    let input: LineReader

    /// The destination of prompts if there is no terminal.
    let errors: Output

    /// The path of the terminal; `nil` for none.
    let terminal: String?

    /// Whether passwords come from standard input only, one line each, without a prompt.
    let usesStandardInput: Bool

    /// Whether the line has to be the whole input: otherwise, commands follow.
    let endsInput: Bool

    /// The number of attempts to type a new password twice.
    private static let attempts = 3

    /// The maximum length of a line from a terminal in bytes (Linux's N_TTY); it silently drops the rest.
    private static let longestTerminalLine = 4095

    /// Prompts for a new password, and for its confirmation.
    ///
    /// - Throws: ``CommandFailure`` if the answers differ three times, or cannot be read.
    func askForNew(_ question: ByteText, again: ByteText) throws -> SecretBytes {
        if usesStandardInput { return try ask(question) }
        for attempt in 0..<Self.attempts {
            let first = try ask(question, mustExist: attempt > 0)
            // An end of input at the confirmation must not turn the password into an empty one.
            if try ask(again, mustExist: attempt > 0 || !first.isEmpty) == first { return first }
            try errors.write("passwords don't match\n")
        }
        throw CommandFailure(status: 1)
    }

    /// Prompts for a password.
    ///
    /// - Parameters:
    ///   - question: the prompt.
    ///   - mustExist: whether the end of the input is an error rather than an empty answer; always true with `-S`.
    /// - Returns: The answer.
    /// - Throws: ``CommandFailure`` if the answer cannot be read, or is too long.
    func ask(_ question: ByteText, mustExist: Bool = false) throws -> SecretBytes {
        do {
            if usesStandardInput { return try answerOfInput() }
            let terminal = openTerminal()
            guard terminal >= 0 else { return try ask(question, reader: input, output: errors, mustExist: mustExist) }
            defer { close(terminal) }
            let reader = LineReader(descriptor: terminal, readsAhead: false)
            return try ask(question, reader: reader, output: Output(messagesTo: terminal), mustExist: mustExist)
        } catch let failure as LineReader.Failure {
            throw CommandFailure("security: the password cannot be read: \(String(cString: strerror(failure.code)))")
        }
    }

    /// Prompts for a password if it can be answered: on a terminal, or with `-S`.
    ///
    /// - Returns: The answer; `nil` if prompting is not possible, or the answer cannot be read.
    func answer(_ question: ByteText) -> Word? {
        canBeAnswered ? (try? ask(question, mustExist: true)).map { Word($0) } : nil
    }

    /// The same for a new password and its confirmation.
    func newAnswer(_ question: ByteText, again: ByteText) -> Word? {
        canBeAnswered ? (try? askForNew(question, again: again)).map { Word($0) } : nil
    }

    private var canBeAnswered: Bool {
        if usesStandardInput { return true }
        let terminal = openTerminal()
        guard terminal >= 0 else { return false }
        close(terminal)
        return true
    }

    /// A descriptor of the terminal; negative if there is none.
    private func openTerminal() -> Int32 { terminal.map { open($0, O_RDWR | O_CLOEXEC) } ?? -1 }

    private func ask(
        _ question: ByteText,
        reader: LineReader,
        output: Output,
        mustExist: Bool
    ) throws -> SecretBytes {
        // The echo is off before the prompt appears.
        let terminal = HiddenTerminal(descriptor: reader.descriptor)
        try output.write(question)
        guard let terminal else { return try answer(try reader.next(), mustExist: mustExist) }
        let line = try reader.next { try terminal.waitForInput { try output.write(question) } }
        // The typed newline has not been shown either.
        try output.write("\n")
        let password = try answer(line, mustExist: mustExist)
        guard password.count < Self.longestTerminalLine else {
            throw CommandFailure("security: the terminal may have cut the password; use standard input and -S")
        }
        return password
    }

    /// The time to wait for the end of the input or another line, in milliseconds.
    ///
    /// A program that writes several lines is not that slow between them, and one that keeps its end of the pipe open
    /// does not have to wait longer.
    private static let endTimeout: Int32 = 1000

    /// The line of standard input, which has to be the last, except on a terminal.
    ///
    /// A file of several lines is a mistake, and half a key would be worse than none. A pipe may stay open after its
    /// line: nothing follows then.
    private func answerOfInput() throws -> SecretBytes {
        let password = try answer(try input.next(), mustExist: true)
        guard endsInput, isatty(input.descriptor) == 0, try input.isFollowed(within: Self.endTimeout) else {
            return password
        }
        throw CommandFailure(
            """
            security: standard input has more than one line; -S reads a password of one line. For other bytes there \
            is -X with hexadecimal digits, and 'keychainctl set --file' for a file
            """
        )
    }

    private func answer(_ line: LineReader.Line, mustExist: Bool) throws -> SecretBytes {
        switch line {
        case .line(let password), .unfinished(let password): return password
        case .tooLong: throw CommandFailure("security: the password is longer than \(LineReader.largestLine) bytes")
        case .end:
            if mustExist { throw CommandFailure("security: there is no password on standard input") }
            return SecretBytes()
        }
    }
}
