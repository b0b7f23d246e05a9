// SPDX-License-Identifier: Apache-2.0

@testable import SecurityTool

extension CommandTable.Entry {
    /// Whether words are options and operands of the command, as getopt reads them.
    func accepts(_ words: [Word]) -> Bool {
        let arguments = ParsedOptions(words, options)
        // An option behind an operand is none, and a status is a negative number.
        if name == "error" { return arguments.options.isEmpty }
        // A password option at the end prompts.
        if case .missingValue(let letter)? = arguments.problem { return options.isSecret(letter) }
        return arguments.problem == nil && !arguments.operands.contains { $0.hasPrefix("-") }
    }
}
