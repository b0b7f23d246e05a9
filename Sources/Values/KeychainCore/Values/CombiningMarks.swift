// SPDX-License-Identifier: Apache-2.0

/// The limit on combining marks, which bounds the cost of comparing untrusted text.
///
/// Swift compares and hashes strings by their canonical equivalence, and sorts the marks of a character into canonical
/// order for it (UAX #15): that takes time proportional to the square of their number.
package enum CombiningMarks {
    /// The maximum number of consecutive marks.
    ///
    /// UAX #15 finds no more than 30 in the texts of any language (section 13, "Stream-Safe Text Process"); this leaves
    /// room for playful ones. Two megabytes of such runs take 0.3 s to hash; a single run of 80,000, 1.6 s.
    package static let maximumConsecutive = 1024

    /// Counts them in a text that is read character by character.
    package struct Counter {
        private var count = 0

        /// Whether more followed each other somewhere than ``CombiningMarks/maximumConsecutive``.
        package private(set) var areTooMany = false

        /// A counter before the first character.
        package init() {}

        /// Counts the next character, which may be a mark.
        package mutating func countCharacter(isMark: Bool) {
            count = isMark ? count + 1 : 0
            if count > CombiningMarks.maximumConsecutive { areTooMany = true }
        }
    }
}

extension Unicode.Scalar {
    /// Whether it is subject to the canonical order of marks.
    package var isCombiningMark: Bool { properties.canonicalCombiningClass != .notReordered }
}

extension KeychainError {
    /// A text of a call has too many of them.
    package static let tooManyMarks = KeychainError.parameter(
        "a text has more than \(CombiningMarks.maximumConsecutive) combining marks in a row"
    )
}

extension String {
    /// Whether more combining marks follow each other somewhere than ``CombiningMarks/maximumConsecutive``.
    package var hasTooManyMarks: Bool {
        // None is below U+0300, which begins with this byte.
        guard utf8.contains(where: { $0 >= 0xCC }) else { return false }
        var counter = CombiningMarks.Counter()
        for scalar in unicodeScalars {
            counter.countCharacter(isMark: scalar.isCombiningMark)
            if counter.areTooMany { return true }
        }
        return false
    }
}
