// SPDX-License-Identifier: Apache-2.0

/// How many columns of a terminal texts take, as wcwidth(3) has it in a locale of UTF-8, which a static program may
/// lack: characters of East Asia and emoji take two, marks on others none.
enum TextWidth {
    /// The columns of a text without control characters.
    static func of(_ text: String) -> Int {
        // Most are ASCII.
        if text.utf8.allSatisfy({ $0 < 0x80 }) { return text.utf8.count }
        return text.unicodeScalars.reduce(0) { $0 + of($1) }
    }

    /// A text in exactly so many columns: cut, with an ellipsis at the end, or with blanks behind it.
    static func fitted(_ text: String, to width: Int) -> String {
        let count = of(text)
        if count <= width { return text + String(repeating: " ", count: width - count) }
        guard width > 0 else { return "" }
        let (cut, used) = beginning(of: text.unicodeScalars, in: width - 1)
        return cut + "…" + String(repeating: " ", count: width - 1 - used)
    }

    /// The last characters of a text that have room.
    static func end(of text: String, in width: Int) -> String {
        var (scalars, left) = (text.unicodeScalars[...], max(width, 0))
        var start = scalars.endIndex
        while let scalar = scalars.popLast(), of(scalar) <= left {
            left -= of(scalar)
            start = scalars.endIndex
        }
        return String(text.unicodeScalars[start...])
    }

    private static func beginning(
        of scalars: String.UnicodeScalarView,
        in width: Int
    ) -> (text: String, width: Int) {
        var (text, used) = (String.UnicodeScalarView(), 0)
        for scalar in scalars {
            guard used + of(scalar) <= width else { break }
            used += of(scalar)
            text.append(scalar)
        }
        return (String(text), used)
    }

    private static func of(_ scalar: Unicode.Scalar) -> Int {
        if scalar.isASCII { return 1 }
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format: return 0
        default: break
        }
        // Vowels and final consonants of Hangul stand in the column of the consonant before them.
        if (0x1160...0x11FF).contains(scalar.value) { return 0 }
        return scalar.properties.isEmojiPresentation || wide.contains { $0.contains(scalar.value) } ? 2 : 1
    }

    /// The blocks of wide and full-width characters (Unicode Standard Annex 11).
    private static let wide: [ClosedRange<UInt32>] = [
        0x1100...0x115F, 0x2329...0x232A, 0x2E80...0x303E, 0x3041...0xA4CF,
        0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE10...0xFE19, 0xFE30...0xFE6F, 0xFF01...0xFF60,
        0xFFE0...0xFFE6, 0x16FE0...0x18D8F, 0x1AFF0...0x1B2FF, 0x1F200...0x1F265, 0x20000...0x3FFFD,
    ]
}
