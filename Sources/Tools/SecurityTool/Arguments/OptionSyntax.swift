// SPDX-License-Identifier: Apache-2.0

/// The options of a command, declared in the notation of getopt(3).
struct OptionSyntax: Sendable, ExpressibleByStringLiteral {
    /// Whether getopt reports nothing about an invalid option, which a leading colon declares.
    let isSilent: Bool

    /// The number of operands before the options; 1 for `import`.
    let leadingOperands: Int

    private let options: [UInt8: Bool]
    private let secrets: Set<UInt8>
    private let pairs: Set<UInt8>

    /// Options in the notation of getopt(3).
    ///
    /// - Parameters:
    ///   - string: the letters, each followed by a colon if it takes a value.
    ///   - secrets: the letters whose values must not be shown.
    ///   - leadingOperands: the number of operands before the options.
    ///   - pairs: the letters whose value is followed by a second word.
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

    /// Whether an option takes a value; `nil` if there is no such option.
    func takesValue(_ letter: UInt8) -> Bool? { options[letter] }

    /// Whether another word follows the value of an option.
    func takesPair(_ letter: UInt8) -> Bool { pairs.contains(letter) }

    func isSecret(_ letter: UInt8) -> Bool { secrets.contains(letter) }
}
