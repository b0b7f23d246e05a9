// SPDX-License-Identifier: Apache-2.0

/// A command of the table.
///
/// To add a command, add a file with such a type, and a row in ``CommandTable``.
protocol Command: Sendable {
    /// The options, in the notation of getopt(3).
    var options: OptionSyntax { get }

    /// Runs the command.
    ///
    /// - Parameters:
    ///   - invocation: the command as typed.
    ///   - session: the keychain and the streams to use.
    /// - Returns: 0, or the status of a failure that has already been reported.
    /// - Throws: ``CommandFailure``, which is then reported, and ``Output/Failure``, which ends the program.
    func run(_ invocation: Invocation, in session: Session) throws -> Int32
}

/// A command as it was typed.
struct Invocation {
    /// The full name.
    let name: String

    /// The name as typed, which may be a prefix.
    let typedName: Word

    /// The words after the name.
    let words: [Word]

    /// The parsed options and operands.
    let arguments: ParsedOptions

    /// Throws at an invalid option.
    ///
    /// A command calls it after it has processed the options before that one.
    ///
    /// - Throws: ``CommandFailure/usage``
    func checkOptions(_ syntax: OptionSyntax) throws(CommandFailure) {
        guard let problem = arguments.problem else { return }
        throw CommandFailure(status: CommandFailure.usage.status, syntax.isSilent ? nil : problem.message)
    }
}
