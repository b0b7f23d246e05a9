// SPDX-License-Identifier: Apache-2.0

/// `help`: lists the commands, or prints the usage of some.
struct HelpCommand: Command {
    let options: OptionSyntax = "h"

    func run(_ invocation: Invocation, in session: Session) throws -> Int32 {
        if let word = invocation.words.first, word == "-h" { throw CommandFailure.usage }
        return try Self.explain(invocation.words, typedName: invocation.typedName, in: session)
    }

    /// Prints the usage of commands, or the list of all if none is named.
    ///
    /// - Parameters:
    ///   - names: the names of commands, or prefixes of them.
    ///   - typedName: the command that requested help, for the message about an unknown name.
    ///   - session: the streams.
    /// - Returns: The status.
    /// - Throws: ``Output/Failure``
    static func explain(_ names: [Word], typedName: Word, in session: Session) throws -> Int32 {
        if names.isEmpty { try session.output.write(CommandTable.list) }
        for name in names {
            guard let entry = CommandTable.entry(matching: name) else {
                try session.errors.write("security: \(typedName): no such command: \(name)\n")
                try session.suggest(for: name)
                return 1
            }
            try session.output.write(entry.usage)
        }
        return 0
    }
}
