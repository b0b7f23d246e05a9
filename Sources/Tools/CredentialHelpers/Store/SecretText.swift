// SPDX-License-Identifier: Apache-2.0

import KeychainAuthenticators
import KeychainCore

extension SecretBytes {
    /// The bytes as text; `nil` unless they are UTF-8.
    var text: String? { withUnsafeBytes { String(validating: $0, as: UTF8.self) } }

    /// The bytes as one line of a protocol of lines; `nil` if one of them would end the line, or is NUL.
    var oneLine: SecretBytes? {
        withUnsafeBytes { $0.contains { $0 == 0x0A || $0 == 0x0D || $0 == 0 } } ? nil : self
    }

    /// The lines, each without its newline; the last one has none.
    var lines: [SecretBytes] {
        withUnsafeBytes { bytes in
            bytes.split(separator: 0x0A, omittingEmptySubsequences: false).map {
                SecretBytes(copying: UnsafeRawBufferPointer(rebasing: $0))
            }
        }
    }

    /// The bytes without white space at both ends.
    var trimmed: SecretBytes {
        withUnsafeBytes { bytes in
            let isBlank = { (byte: UInt8) in byte == 0x20 || (0x09...0x0D).contains(byte) }
            guard let first = bytes.firstIndex(where: { !isBlank($0) }),
                let last = bytes.lastIndex(where: { !isBlank($0) })
            else { return SecretBytes() }
            return SecretBytes(copying: UnsafeRawBufferPointer(rebasing: bytes[first...last]))
        }
    }

    /// What is before and after the first byte of a value; `nil` if there is none.
    func split(at byte: UInt8) -> (before: SecretBytes, after: SecretBytes)? {
        withUnsafeBytes { bytes in
            guard let place = bytes.firstIndex(of: byte) else { return nil }
            return (
                SecretBytes(copying: UnsafeRawBufferPointer(rebasing: bytes[..<place])),
                SecretBytes(copying: UnsafeRawBufferPointer(rebasing: bytes[(place + 1)...]))
            )
        }
    }

    /// The bytes of a text.
    init(text: String) { self.init(Array(text.utf8)) }
}

extension SecretBuffer {
    /// Adds bytes.
    mutating func append(_ bytes: SecretBytes) { bytes.withUnsafeBytes { append($0) } }

    /// Adds a text.
    mutating func append(text: String) { for byte in text.utf8 { append(byte) } }
}
