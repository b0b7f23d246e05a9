// SPDX-License-Identifier: Apache-2.0

/// The bytes of a file as text in UTF-8.
package enum SourceText {
    /// The text of a file, and whether it was in another encoding; nil if it is no text.
    ///
    /// UTF-16 is known by its mark of the byte order. A zero byte is in no source text: it is what UTF-16 without that
    /// mark, and data, look like.
    package static func decoded(_ bytes: [UInt8]) -> (text: [UInt8], isConverted: Bool)? {
        if bytes.starts(with: [0xFF, 0xFE]) { return utf16(bytes.dropFirst(2)) { UInt16($0) | UInt16($1) << 8 } }
        if bytes.starts(with: [0xFE, 0xFF]) { return utf16(bytes.dropFirst(2)) { UInt16($0) << 8 | UInt16($1) } }
        return bytes.contains(0) ? nil : (bytes, false)
    }

    private static func utf16(
        _ bytes: ArraySlice<UInt8>,
        unit: (UInt8, UInt8) -> UInt16
    ) -> (text: [UInt8], isConverted: Bool)? {
        guard bytes.count.isMultiple(of: 2) else { return nil }
        let units = stride(from: bytes.startIndex, to: bytes.endIndex, by: 2).map { unit(bytes[$0], bytes[$0 + 1]) }
        let text = String(decoding: units, as: UTF16.self)
        // What is no UTF-16 was replaced.
        guard !units.contains(0), text.utf16.elementsEqual(units) else { return nil }
        return (Array(text.utf8), true)
    }

    /// The text of bytes in UTF-8; nil if they are something else.
    static func string(_ bytes: [UInt8]) -> String? {
        let text = String(decoding: bytes, as: UTF8.self)
        return text.utf8.elementsEqual(bytes) ? text : nil
    }
}
