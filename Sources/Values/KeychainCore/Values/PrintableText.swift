// SPDX-License-Identifier: Apache-2.0

extension String {
    /// The text without what a terminal would obey or a reader would not see, each such character as a question mark.
    package var printable: String {
        String(String.UnicodeScalarView(unicodeScalars.map { $0.isInvisible ? "?" : $0 }))
    }
}

extension Unicode.Scalar {
    /// Whether it is a control or format character or ends a line: characters that move the cursor, set colours, or
    /// change the direction of text (Unicode Standard Annex 9).
    package var isInvisible: Bool {
        switch properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate: true
        default: false
        }
    }
}
