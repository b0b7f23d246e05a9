// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// The relation between a query's value and an item's value (check C06); the raw value is its name in reports.
package enum Relation: String, Sendable, CaseIterable {
    /// Both compare equal.
    case equal
    /// They have nothing to do with each other, or what the item has cannot be read now.
    case different
    /// The item has no such attribute.
    case absentOnItem = "absent-on-item"
    /// Other bytes that show the same text: the number 42 and "42".
    case typeDiffers = "type-differs"
    /// Only the letter case differs.
    case caseOnly = "case-only"
    /// Only white space at either end differs.
    case whitespaceOnly = "whitespace-only"
    /// The same characters are encoded in another way (Unicode Standard Annex 15, canonical equivalence).
    case unicodeNormalisationOnly = "unicode-normalisation-only"
    /// One value begins with the other.
    case prefix
    /// One value ends with the other.
    case suffix

    /// Whether only the format differs.
    package var isFormat: Bool {
        switch self {
        case .typeDiffers, .caseOnly, .whitespaceOnly, .unicodeNormalisationOnly: true
        case .equal, .different, .absentOnItem, .prefix, .suffix: false
        }
    }

    /// The relation of two values of a column.
    init(_ column: Column, queried: AttributeValue, stored: AttributeValue?) {
        guard let stored else {
            self = .absentOnItem
            return
        }
        if column.isEqual(queried, stored) {
            self = .equal
            return
        }
        guard let left = Self.text(queried), let right = Self.text(stored) else {
            self = .different
            return
        }
        self = Self.relation(left, right)
    }

    private static func relation(_ left: String, _ right: String) -> Relation {
        if left.utf8.elementsEqual(right.utf8) { return .typeDiffers }
        // Strings compare by canonical equivalence.
        if left == right { return .unicodeNormalisationOnly }
        if trimmed(left) == trimmed(right) { return .whitespaceOnly }
        if left.lowercased() == right.lowercased() || left.uppercased() == right.uppercased() { return .caseOnly }
        if left.isEmpty || right.isEmpty { return .different }
        if left.hasPrefix(right) || right.hasPrefix(left) { return .prefix }
        if left.hasSuffix(right) || right.hasSuffix(left) { return .suffix }
        return .different
    }

    private static func trimmed(_ text: String) -> Substring {
        var rest = text[...]
        while let first = rest.first, first.isWhitespace { rest.removeFirst() }
        while let last = rest.last, last.isWhitespace { rest.removeLast() }
        return rest
    }

    /// The visible text of a value; `nil` for bytes that are not text, and for invisible text.
    private static func text(_ value: AttributeValue) -> String? {
        switch value {
        case .string(let text): text
        case .data(let bytes): String(validating: bytes, as: UTF8.self)
        case .number(.integer(let number)): String(number)
        case .number(.unsigned(let number)): String(number)
        case .number(.real(let number)): number.exactText
        case .date, .accessControl: nil
        }
    }
}

extension Double {
    fileprivate var exactText: String { Int64(exactly: self).map { String($0) } ?? String(self) }
}
