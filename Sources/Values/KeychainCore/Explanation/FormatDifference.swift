// SPDX-License-Identifier: Apache-2.0

/// Values that look equal to a user, but are different to the keychain.
extension AttributeValue {
    /// Whether a value shows the same text as another one, except for letter case, white space at either end, the
    /// Unicode normalization form and the type.
    ///
    /// This includes equal values. Bytes that are not UTF-8, dates and access controls show no text.
    package func showsSameText(as other: AttributeValue) -> Bool {
        guard let text = shownText, let otherText = other.shownText else { return self == other }
        // Strings are equal when they are canonically equivalent (UAX #15).
        return text.trimmed.lowercased() == otherText.trimmed.lowercased()
    }

    /// Other values that show the same text, for a search that cannot examine every item.
    ///
    /// They are in lowercase, in uppercase, capitalized; without white space at either end and with one space or line
    /// feed; and as a number.
    ///
    /// There are more: other mixtures of case, other normalization forms.
    package var formatVariants: Set<AttributeValue> {
        guard let text = shownText else { return [] }
        let trimmed = text.trimmed
        let texts = [
            trimmed, trimmed.lowercased(), trimmed.uppercased(), trimmed.capitalized,
            trimmed.lowercased().capitalized, " \(trimmed)", "\(trimmed) ", "\(trimmed)\n",
        ]
        var variants = Set(texts.map { AttributeValue.data(Array($0.utf8)) })
        if let number = Int64(trimmed) { variants.insert(.number(.integer(number))) }
        return variants
    }

    private var shownText: String? {
        switch self {
        case .string(let text): text
        case .data(let bytes): String(validating: bytes, as: UTF8.self)
        case .number(.integer(let number)): "\(number)"
        case .number(.unsigned(let number)): "\(number)"
        case .number(.real(let number)): Int64(exactly: number).map { "\($0)" } ?? "\(number)"
        case .date, .accessControl: nil
        }
    }
}

extension String {
    fileprivate var trimmed: String {
        guard let first = firstIndex(where: { !$0.isWhitespace }), let last = lastIndex(where: { !$0.isWhitespace })
        else { return "" }
        return String(self[first...last])
    }

    fileprivate var capitalized: String { prefix(1).uppercased() + dropFirst() }
}
