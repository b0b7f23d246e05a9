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
