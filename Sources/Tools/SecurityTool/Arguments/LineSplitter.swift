// SPDX-License-Identifier: Apache-2.0

import KeychainAuthenticators
import KeychainCore

/// Splits a line of interactive mode into words.
///
/// Whitespace separates words. A word that begins with a quote ends at the next quote of the same kind; a backslash
/// escapes the next character, everywhere.
struct LineSplitter {
    private let line: UnsafeRawBufferPointer
    private var index = 0

    static func words(of line: SecretBytes) -> [Word] {
        line.withUnsafeBytes { bytes in
            var splitter = LineSplitter(line: bytes)
            var words: [Word] = []
            while let word = splitter.next() { words.append(word) }
            return words
        }
    }

    private init(line: UnsafeRawBufferPointer) { self.line = line }

    private mutating func next() -> Word? {
        while let byte = current, Self.isBlank(byte) { index += 1 }
        guard let first = current else { return nil }
        let quote = first == UInt8(ascii: "'") || first == UInt8(ascii: "\"") ? first : nil
        if quote != nil { index += 1 }
        var word = SecretBuffer()
        while let byte = current, quote != nil || !Self.isBlank(byte) {
            index += 1
            if byte == quote { break }
            if byte != UInt8(ascii: "\\") {
                word.append(byte)
            } else if let escaped = current {
                word.append(escaped)
                index += 1
            }
        }
        return Word(word.bytes)
    }

    private var current: UInt8? { index < line.count ? line[index] : nil }

    /// Whether isspace(3) considers a byte whitespace in the C locale.
    private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }
}
