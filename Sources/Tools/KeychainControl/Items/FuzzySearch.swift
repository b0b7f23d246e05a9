// SPDX-License-Identifier: Apache-2.0

/// Finds texts that are similar to words which a person remembers.
enum FuzzySearch {
    /// How well words fit some texts, of which the first counts most; smaller is better, `nil` if a word fits none.
    static func rank(_ texts: [String], _ words: [String]) -> Int? {
        rank(texts.map(folded), folded: words.map(folded))
    }

    /// A text as it is compared.
    static func folded(_ text: String) -> [Unicode.Scalar] { Array(text.lowercased().unicodeScalars) }

    /// The same for texts and words that are searched more than once.
    static func rank(_ texts: [[Unicode.Scalar]], folded words: [[Unicode.Scalar]]) -> Int? {
        var sum = 0
        for word in words {
            let ranks = texts.enumerated().compactMap { position, text in
                rank(word, in: text).map { $0 + (position == 0 ? 0 : laterText) }
            }
            guard let best = ranks.min() else { return nil }
            sum += best
        }
        return sum
    }

    private static let laterText = 500
    private static let scattered = 1_000

    /// Whole, at the beginning, at the beginning of a part, within, or with other letters between its letters.
    private static func rank(_ word: [Unicode.Scalar], in text: [Unicode.Scalar]) -> Int? {
        guard !word.isEmpty else { return 0 }
        guard word.count <= text.count else { return nil }
        if word.count == text.count { return word == text ? 0 : nil }
        var isWithin = false
        for start in 0...(text.count - word.count)
        where text[start] == word[0] && text[start..<start + word.count].elementsEqual(word) {
            if start == 0 { return 1 }
            if !text[start - 1].properties.isAlphabetic { return 2 }
            isWithin = true
        }
        return isWithin ? 3 : gaps(word, in: text).map { scattered + $0 }
    }

    /// The letters between the first and the last letter of a word that do not belong to it; `nil` if it is not there.
    private static func gaps(_ word: [Unicode.Scalar], in text: [Unicode.Scalar]) -> Int? {
        var (next, first, last) = (0, 0, 0)
        for (position, letter) in text.enumerated() where next < word.count && letter == word[next] {
            if next == 0 { first = position }
            last = position
            next += 1
        }
        return next == word.count ? last - first + 1 - word.count : nil
    }
}
