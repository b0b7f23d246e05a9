// SPDX-License-Identifier: Apache-2.0

/// What one command of the table does.
///
/// A new command is a file with such a type, and a row in ``CommandTable``.
protocol Command: Sendable {
    /// The options, in the notation of getopt(3).
    var options: OptionSyntax { get }

    /// Runs the command.
    ///
    /// - Parameters:
    ///   - invocation: what was typed.
    ///   - session: the keychain and the streams to work with.
    /// - Returns: 0, or the status of a failure that has been reported already.
    /// - Throws: ``CommandFailure``, which is then reported, and ``Output/Failure``, which ends the program.
    func run(_ invocation: Invocation, in session: Session) throws -> Int32
}

/// A command as it was typed.
struct Invocation {
    /// The name in full.
    let name: String

    /// The name as it was typed, which may be the beginning of it.
    let typedName: Word

    /// What follows the name.
    let words: [Word]

    /// The words as options and operands.
    let arguments: ParsedOptions

    /// Stops at an option that is wrong.
    ///
    /// A command calls it after it has looked at the options before that one.
    ///
    /// - Throws: ``CommandFailure/usage``
    func checkOptions(_ syntax: OptionSyntax) throws(CommandFailure) {
        guard let problem = arguments.problem else { return }
        throw CommandFailure(status: CommandFailure.usage.status, syntax.isSilent ? nil : problem.message)
    }
}
