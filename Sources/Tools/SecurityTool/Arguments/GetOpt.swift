// SPDX-License-Identifier: Apache-2.0

/// Parses options one at a time, as BSD's getopt(3) does: it stops at the first operand.
struct GetOpt {
    /// A parsed option, or an error.
    enum Event {
        /// An option, with the place of its value if it takes one.
        case option(UInt8, Place?)
        /// An option that was not declared.
        case illegal(UInt8)
        /// An option at the end of the words, without its value.
        case missingValue(UInt8)
    }

    /// The place of a value: a word, and an offset in it.
    struct Place: Hashable {
        var word: Int
        var offset: Int
    }

    /// The next word to be read; after the last option, the first operand.
    private(set) var index: Int

    private let words: [Word]
    private let syntax: OptionSyntax
    // The offset of the next letter in a cluster; 0 outside of one.
    private var offset = 0
    private static let dash = UInt8(ascii: "-")

    init(_ words: [Word], from index: Int = 0, _ syntax: OptionSyntax) {
        self.words = words
        self.index = index
        self.syntax = syntax
    }

    mutating func next() -> Event? {
        if offset == 0 {
            guard index < words.count, words[index].count > 1, words[index][0] == Self.dash else { return nil }
            if words[index] == "--" {
                index += 1
                return nil
            }
            offset = 1
        }
        let letter = words[index][offset]
        offset += 1
        return event(letter)
    }

    private mutating func event(_ letter: UInt8) -> Event {
        let isLast = offset == words[index].count
        guard let takesValue = syntax.takesValue(letter) else {
            if isLast { advance() }
            return .illegal(letter)
        }
        guard takesValue else {
            if isLast { advance() }
            return .option(letter, nil)
        }
        var place = Place(word: index, offset: offset)
        advance()
        if isLast {
            guard index < words.count else { return .missingValue(letter) }
            place = Place(word: index, offset: 0)
            advance()
        }
        if syntax.takesPair(letter) {
            guard index < words.count else { return .missingValue(letter) }
            advance()
        }
        return .option(letter, place)
    }

    private mutating func advance() {
        index += 1
        offset = 0
    }
}

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

/// Finds the secrets among a command's words.
enum SecretArguments {
    /// The places of all secret values.
    ///
    /// Also searches beyond the first operand and beyond invalid options: a password in the wrong place is still a
    /// secret.
    ///
    /// - Parameters:
    ///   - words: the words of the command.
    ///   - start: the first word after the command's name.
    ///   - syntax: the options of the command.
    /// - Returns: The places where the values begin.
    static func places(in words: [Word], from start: Int, _ syntax: OptionSyntax) -> [GetOpt.Place] {
        var places: [GetOpt.Place] = []
        var start = start
        while start < words.count {
            var reader = GetOpt(words, from: start, syntax)
            while let event = reader.next() {
                if case .option(let letter, let place?) = event, syntax.isSecret(letter) { places.append(place) }
            }
            // There may be more after two dashes; an operand is skipped.
            start = max(reader.index, start + 1)
        }
        return places
    }

    /// The words of a command with `***` in place of every secret.
    static func masked(_ words: [Word], _ syntax: OptionSyntax) -> [ByteText] {
        var texts: [ByteText] = words.map { "\($0)" }
        for place in places(in: words, from: 0, syntax) {
            texts[place.word] = "\(words[place.word].prefix(place.offset))***"
        }
        return texts
    }
}
