// SPDX-License-Identifier: Apache-2.0

import Glibc
import KeychainCore

/// How passwords are read: as getpass(3) does, or from standard input with `-S`.
struct PasswordPrompt {
    /// Where lines come from when there is no terminal.
    let input: LineReader

    /// Where prompts go when there is no terminal.
    let errors: Output

    /// The path of the terminal; `nil` for none.
    let terminal: String?

    /// Whether passwords come from standard input only, one line each, without a prompt.
    let usesStandardInput: Bool

    /// Whether the line is to be all of the input: where it is not, what follows are commands.
    let endsInput: Bool

    /// How often a new password may be typed differently.
    private static let attempts = 3

    /// The most bytes that a terminal passes on in one line (N_TTY of Linux); it drops the rest without a word.
    private static let longestTerminalLine = 4095

    /// Asks for a new password, and once more to be sure.
    ///
    /// - Throws: ``CommandFailure`` when the answers differ three times, or cannot be read.
    func askForNew(_ question: ByteText, again: ByteText) throws -> SecretBytes {
        if usesStandardInput { return try ask(question) }
        for attempt in 0..<Self.attempts {
            let first = try ask(question, mustExist: attempt > 0)
            // An end in the middle would turn what was meant into an empty password.
            if try ask(again, mustExist: attempt > 0 || !first.isEmpty) == first { return first }
            try errors.write("passwords don't match\n")
        }
        throw CommandFailure(status: 1)
    }

    /// Asks for a password.
    ///
    /// - Parameters:
    ///   - question: the prompt.
    ///   - mustExist: whether the end of the input is an error rather than an empty answer; with `-S` it always is.
    /// - Returns: The answer.
    /// - Throws: ``CommandFailure`` when the answer cannot be read, or is too long.
    func ask(_ question: ByteText, mustExist: Bool = false) throws -> SecretBytes {
        do {
            if usesStandardInput { return try answerOfInput() }
            let terminal = openTerminal()
            guard terminal >= 0 else { return try ask(question, input, errors, mustExist) }
            defer { close(terminal) }
            let reader = LineReader(descriptor: terminal, readsAhead: false)
            return try ask(question, reader, Output(descriptor: terminal), mustExist)
        } catch let failure as LineReader.Failure {
            throw CommandFailure("security: the password cannot be read: \(String(cString: strerror(failure.code)))")
        }
    }

    /// Asks for a password where somebody can answer: on a terminal, or by `-S`.
    ///
    /// - Returns: The answer; `nil` where nobody can, or the answer cannot be read.
    func answer(_ question: ByteText) -> Word? {
        canBeAnswered ? (try? ask(question, mustExist: true)).map { Word($0) } : nil
    }

    /// The same for a new password, twice.
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

    /// A descriptor of the terminal; negative where there is none.
    private func openTerminal() -> Int32 { terminal.map { open($0, O_RDWR | O_CLOEXEC) } ?? -1 }

    private func ask(
        _ question: ByteText,
        _ reader: LineReader,
        _ output: Output,
        _ mustExist: Bool
    ) throws -> SecretBytes {
        // The echo is off before anybody is asked to type.
        let terminal = HiddenTerminal(descriptor: reader.descriptor)
        try output.write(question)
        guard let terminal else { return try answer(try reader.next(), mustExist: mustExist) }
        let line = try reader.next { try terminal.waitForInput { try output.write(question) } }
        // The newline that was typed has not been shown either.
        try output.write("\n")
        let password = try answer(line, mustExist: mustExist)
        guard password.count < Self.longestTerminalLine else {
            throw CommandFailure("security: the terminal may have cut the password; use standard input and -S")
        }
        return password
    }

    /// How long the end of the input or another line is waited for, in milliseconds.
    ///
    /// A program that writes lines one after the other is not that slow between two of them, and one that keeps its end
    /// of the pipe open does not wait for longer.
    private static let endTimeout: Int32 = 1000

    /// The line of standard input, which has to be the last, except on a terminal.
    ///
    /// A file of several lines is a mistake, and half of a key would be worse than none. A pipe may stay open after its
    /// line: nothing follows then.
    private func answerOfInput() throws -> SecretBytes {
        let password = try answer(try input.next(), mustExist: true)
        guard endsInput, isatty(input.descriptor) == 0, try input.isFollowed(within: Self.endTimeout) else {
            return password
        }
        throw CommandFailure(
            """
            security: standard input has more than one line; -S reads a password of one line. For other bytes there \
            is -X with hexadecimal digits, and 'keychainctl secret store' for a file
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
