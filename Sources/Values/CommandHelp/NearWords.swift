// SPDX-License-Identifier: Apache-2.0

/// Finds which known words a mistyped one may have meant.
package enum NearWords {
    /// The most words that are suggested.
    private static let limit = 3

    /// The known words that are nearest to a typed one, the nearest only, in their order; empty if none is near.
    ///
    /// A letter that is missing, added, replaced, or exchanged with its neighbour counts as one mistake. One in three
    /// letters may be wrong.
    package static func suggestions(for typed: String, among words: [String]) -> [String] {
        let typed = Array(typed.lowercased())
        var nearest: [String] = []
        var least = Int.max
        for word in words {
            let letters = Array(word)
            let distance = mistakes(typed, letters)
            guard distance <= max(typed.count, letters.count) / 3, distance <= least else { continue }
            if distance < least { nearest = [] }
            least = distance
            if !nearest.contains(word) { nearest.append(word) }
        }
        return Array(nearest.prefix(limit))
    }

    /// Words as the alternatives of a question, such as `'lock' or 'log'`; `nil` if there are none.
    package static func alternatives(_ words: [String]) -> String? {
        guard let last = words.last else { return nil }
        let others = words.dropLast().map { "'\($0)'" }.joined(separator: ", ")
        return "\(others.isEmpty ? "" : "\(others) or ")'\(last)'"
    }

    /// The number of mistakes that turn one word into another: the restricted edit distance of Damerau and Levenshtein.
    private static func mistakes(_ first: [Character], _ second: [Character]) -> Int {
        // A word of a page is no command; the table below grows with both.
        guard first.count <= 64 else { return .max }
        var rows = [Array(0...second.count)]
        for i in first.indices {
            var row = [i + 1]
            for j in second.indices {
                var best = min(rows[i][j] + (first[i] == second[j] ? 0 : 1), rows[i][j + 1] + 1, row[j] + 1)
                if i > 0, j > 0, first[i] == second[j - 1], first[i - 1] == second[j] {
                    best = min(best, rows[i - 1][j - 1] + 1)
                }
                row.append(best)
            }
            rows.append(row)
        }
        return rows[first.count][second.count]
    }
}
