// SPDX-License-Identifier: Apache-2.0

import KeychainAuthenticators
import KeychainCore

/// A text with references in double braces, such as `password = {{ keychain://example.com/ada }}`.
///
/// Everything else stays as it is, byte for byte; so do braces without a reference.
struct SecretTemplate {
    private let parts: [Part]

    /// Its file, for messages.
    private let file: String

    private enum Part {
        case bytes(SecretBytes)
        case reference(String)
    }

    /// Reads a template.
    ///
    /// - Throws: ``Refusal`` if a reference has no end, or is not UTF-8.
    init(_ text: SecretBytes, in file: String) throws(Refusal) {
        self.file = file
        parts = try text.withUnsafeBytes { (bytes) throws(Refusal) in
            var parts: [Part] = []
            var start = 0
            var position = 0
            while let begin = Self.reference(in: bytes, from: position) {
                guard
                    let end = (begin..<max(begin, bytes.count - 1)).first(where: { bytes[$0...].starts(with: Self.end) }
                    )
                else { throw Refusal("the template has a reference without '}}' behind it", .usage) }
                let name = bytes[begin..<end].reversed().drop { $0 == 0x20 || $0 == 0x09 }.reversed()
                guard let reference = String(validating: Array(name), as: UTF8.self),
                    !reference.utf8.contains(UInt8(ascii: "\n"))
                else {
                    throw Refusal("the template has a reference that is not one line of UTF-8", .usage)
                }
                let brace = bytes[..<begin].lastIndex(of: UInt8(ascii: "{")) ?? begin
                parts.append(.bytes(SecretBytes(copying: UnsafeRawBufferPointer(rebasing: bytes[start..<brace - 1]))))
                parts.append(.reference(reference))
                (start, position) = (end + Self.end.count, end + Self.end.count)
            }
            parts.append(.bytes(SecretBytes(copying: UnsafeRawBufferPointer(rebasing: bytes[start...]))))
            return parts
        }
    }

    private static let begin = Array("{{".utf8)
    private static let end = Array("}}".utf8)

    /// Where the next reference in braces begins.
    private static func reference(in bytes: UnsafeRawBufferPointer, from start: Int) -> Int? {
        var position = start
        while position < bytes.count {
            guard bytes[position...].starts(with: begin) else {
                position += 1
                continue
            }
            var next = position + begin.count
            while next < bytes.count, bytes[next] == 0x20 || bytes[next] == 0x09 { next += 1 }
            if bytes[next...].starts(with: SecretReference.prefix.utf8) { return next }
            position += 1
        }
        return nil
    }

    /// The text with the secrets in it.
    func filled(by secrets: SecretReader) throws(Refusal) -> SecretBytes {
        var text = SecretBuffer()
        for part in parts {
            switch part {
            case .bytes(let bytes): bytes.withUnsafeBytes { text.append($0) }
            case .reference(let reference):
                try secrets.value(reference, in: file.printable).withUnsafeBytes { text.append($0) }
            }
        }
        return text.bytes
    }
}
