// SPDX-License-Identifier: Apache-2.0

/// Text of a program that is shown to a person.
enum PlainText {
    /// The most that is shown, in Unicode scalars: a single character can have any number of them.
    static let longest = 500

    /// A text in one line that can neither move the cursor nor change the direction of writing: with it a program could
    /// make its words look like somebody else's.
    static func shown(_ text: String) -> String {
        var scalars = String.UnicodeScalarView()
        for scalar in text.unicodeScalars.prefix(longest) { scalars.append(isPlain(scalar) ? scalar : "\u{FFFD}") }
        return text.unicodeScalars.count > longest ? String(scalars) + "…" : String(scalars)
    }

    private static func isPlain(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator: false
        default: true
        }
    }
}
