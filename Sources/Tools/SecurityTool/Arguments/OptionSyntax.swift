// SPDX-License-Identifier: Apache-2.0

/// The options of a command, declared as getopt(3) takes them.
struct OptionSyntax: Sendable, ExpressibleByStringLiteral {
    /// Whether getopt says nothing about a wrong option: a colon in front declares that.
    let isSilent: Bool

    /// How many words in front of the options are operands; 1 for `import`.
    let leadingOperands: Int

    private let options: [UInt8: Bool]
    private let secrets: Set<UInt8>
    private let pairs: Set<UInt8>

    /// Options in the notation of getopt(3).
    ///
    /// - Parameters:
    ///   - string: the letters, each with a colon after it when it takes a value.
    ///   - secrets: the letters whose values must not be shown.
    ///   - leadingOperands: how many operands come before the options.
    ///   - pairs: the letters whose value is followed by another word that belongs to it.
    init(_ string: String, secrets: String = "", leadingOperands: Int = 0, pairs: String = "") {
        let letters = Array(string.utf8)
        let colon = UInt8(ascii: ":")
        var options: [UInt8: Bool] = [:]
        for (index, letter) in letters.enumerated() where letter != colon {
            options[letter] = letters.dropFirst(index + 1).first == colon
        }
        self.options = options
        self.secrets = Set(secrets.utf8)
        self.pairs = Set(pairs.utf8)
        self.leadingOperands = leadingOperands
        isSilent = letters.first == colon
    }

    init(stringLiteral string: String) { self.init(string) }

    /// Whether an option takes a value; `nil` when there is no such option.
    func takesValue(_ letter: UInt8) -> Bool? { options[letter] }

    /// Whether another word follows the value of an option.
    func takesPair(_ letter: UInt8) -> Bool { pairs.contains(letter) }

    func isSecret(_ letter: UInt8) -> Bool { secrets.contains(letter) }
}
