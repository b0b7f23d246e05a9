// SPDX-License-Identifier: Apache-2.0

extension String {
    /// The text without what a terminal would obey or a reader would not see, each such character as a question mark.
    package var printable: String {
        String(String.UnicodeScalarView(unicodeScalars.map { $0.isInvisible ? "?" : $0 }))
    }

    /// The same for a message of several lines, which keeps its line feeds and tabs.
    package var printableLines: String { String(decoding: PrintableText.lines(utf8), as: UTF8.self) }
}

/// Text for a terminal that need not be UTF-8, such as a message with the name of a file.
package enum PrintableText {
    /// The bytes without what a terminal would obey, each such character as a question mark; line feeds, tabs, and
    /// bytes that are no characters stay.
    package static func lines(_ text: some Sequence<UInt8>) -> [UInt8] {
        let bytes = Array(text)
        var (parser, input) = (Unicode.UTF8.ForwardParser(), bytes.makeIterator())
        // The parser says how many bytes were no character, not which.
        var (shown, position) = ([UInt8](), 0)
        while true {
            switch parser.parseScalar(from: &input) {
            case .emptyInput: return shown
            case .valid(let encoded):
                let scalar = Unicode.UTF8.decode(encoded)
                if scalar.isInvisible, scalar != "\n", scalar != "\t" {
                    shown.append(UInt8(ascii: "?"))
                } else {
                    shown += encoded
                }
                position += encoded.count
            case .error(let length):
                // Control characters of an encoding of one byte (ISO 8859, C1).
                for byte in bytes[position..<position + length] {
                    shown.append((0x80...0x9F).contains(byte) ? UInt8(ascii: "?") : byte)
                }
                position += length
            }
        }
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
