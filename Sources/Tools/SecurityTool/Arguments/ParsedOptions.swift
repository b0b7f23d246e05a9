// SPDX-License-Identifier: Apache-2.0

/// The options and operands of a command.
struct ParsedOptions {
    /// The options in order, up to the first invalid one.
    private(set) var options: [Option] = []

    /// The problem with the option after ``options``.
    private(set) var problem: Problem?

    /// The words after the options; empty after an invalid option.
    private(set) var operands: [Word] = []

    /// One option.
    struct Option {
        let letter: Character

        /// The value; empty for an option that takes none.
        let value: Word
    }

    /// An invalid option.
    enum Problem {
        case illegal(UInt8)
        case missingValue(UInt8)

        /// The message of getopt(3) about it.
        var message: ByteText {
            switch self {
            case .illegal(let letter): "security: illegal option -- \(ByteText([letter]))"
            case .missingValue(let letter): "security: option requires an argument -- \(ByteText([letter]))"
            }
        }
    }

    /// Reads the words after a command's name.
    init(_ words: [Word], _ syntax: OptionSyntax) {
        let leading = min(syntax.leadingOperands, words.count)
        var reader = GetOpt(words, from: leading, syntax)
        while let event = reader.next() {
            switch event {
            case .option(let letter, let place):
                let value = place.map { words[$0.word].dropFirst($0.offset) } ?? Word("")
                options.append(Option(letter: Character(UnicodeScalar(letter)), value: value))
            case .illegal(let letter): problem = .illegal(letter)
            case .missingValue(let letter): problem = .missingValue(letter)
            }
            if problem != nil { return }
        }
        operands = Array(words[..<leading] + words[reader.index...])
    }
}
