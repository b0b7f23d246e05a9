// SPDX-License-Identifier: Apache-2.0

/// Percent-encoding of parts of a URI (RFC 3986, section 2.1).
package enum PercentEncoding {
    /// A part in which every byte is encoded that is neither unreserved (section 2.3) nor one of others.
    ///
    /// - Parameters:
    ///   - part: the text of the part.
    ///   - others: further characters of ASCII that stay as they are.
    /// - Returns: The encoded part.
    package static func encoded(_ part: String, keeping others: String = "") -> String {
        var result = ""
        for byte in part.utf8 {
            let character = Character(UnicodeScalar(byte))
            if byte < 0x80, character.isLetter || character.isNumber || "-._~\(others)".contains(character) {
                result.append(character)
            } else {
                let digits = String(byte, radix: 16, uppercase: true)
                result += "%" + (digits.count < 2 ? "0" : "") + digits
            }
        }
        return result
    }

    /// The bytes of a part, which may be secret; `nil` if a `%` is not followed by two hexadecimal digits.
    package static func decoded(_ part: some StringProtocol) -> SecretBytes? {
        let count = part.utf8.count - 2 * part.utf8.count { $0 == UInt8(ascii: "%") }
        guard count >= 0 else { return nil }
        var isValid = true
        let decoded = SecretBytes(count: count) { buffer in
            var bytes = part.utf8.makeIterator()
            for index in buffer.indices {
                guard let byte = bytes.next() else {
                    isValid = false
                    return
                }
                guard byte == UInt8(ascii: "%") else {
                    buffer[index] = byte
                    continue
                }
                guard let high = bytes.next().flatMap(digit), let low = bytes.next().flatMap(digit) else {
                    isValid = false
                    return
                }
                buffer[index] = high << 4 | low
            }
            isValid = bytes.next() == nil
        }
        return isValid ? decoded : nil
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case 0x30...0x39: byte - 0x30
        case 0x41...0x46, 0x61...0x66: (byte | 0x20) - 0x61 + 10
        default: nil
        }
    }
}
