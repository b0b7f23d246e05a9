// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// A word of a command as it was typed: possibly a secret, not necessarily UTF-8.
struct Word: Sendable, Hashable {
    let bytes: SecretBytes

    init(_ bytes: SecretBytes) { self.bytes = bytes }

    init(_ text: String) { bytes = SecretBytes(Array(text.utf8)) }

    var count: Int { bytes.count }
    var isEmpty: Bool { bytes.isEmpty }

    /// The text; `nil` for bytes that are not UTF-8.
    var text: String? { bytes.withUnsafeBytes { String(validating: $0, as: UTF8.self) } }

    subscript(index: Int) -> UInt8 { bytes.withUnsafeBytes { $0[index] } }

    func dropFirst(_ number: Int) -> Word {
        bytes.withUnsafeBytes { Word(SecretBytes(copying: UnsafeRawBufferPointer(rebasing: $0.dropFirst(number)))) }
    }

    func prefix(_ number: Int) -> Word {
        bytes.withUnsafeBytes { Word(SecretBytes(copying: UnsafeRawBufferPointer(rebasing: $0.prefix(number)))) }
    }

    /// Whether the word is this text; for names, not for secrets.
    static func == (word: Word, text: String) -> Bool {
        word.bytes.withUnsafeBytes { $0.elementsEqual(text.utf8) }
    }

    /// Whether a text begins with the word.
    func isPrefix(of text: String) -> Bool { bytes.withUnsafeBytes { text.utf8.starts(with: $0) } }

    /// Whether the word begins with a text.
    func hasPrefix(_ text: String) -> Bool { bytes.withUnsafeBytes { $0.starts(with: text.utf8) } }

    /// Passes the bytes as a C string; the pointer is valid only during the call.
    func withCString<Result>(_ body: (UnsafePointer<CChar>) -> Result) -> Result {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: count + 1) { buffer in
            bytes.withUnsafeBytes { UnsafeMutableRawBufferPointer(buffer).copyMemory(from: $0) }
            buffer[count] = 0
            return body(UnsafePointer(buffer.baseAddress ?? Self.noAddress))
        }
    }

    /// A buffer of at least one byte has an address.
    private static var noAddress: UnsafeMutablePointer<CChar> { preconditionFailure("a buffer without an address") }
}
