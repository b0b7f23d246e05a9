// SPDX-License-Identifier: Apache-2.0

import KeychainAuthenticators
import KeychainCore

/// The two ways in which values are printed.
enum ValueFormat {
    /// Rule W, of `-w`: verbatim if every byte is printable ASCII, else all of it in lowercase hexadecimal.
    static func bare(_ value: SecretBytes) -> SecretBytes {
        value.withUnsafeBytes { bytes in
            guard !bytes.allSatisfy(isPrintable) else { return value }
            var text = SecretBuffer(capacity: 2 * bytes.count)
            for byte in bytes { text.append(hexadecimal: byte, digits: lowerCaseDigits) }
            return text.bytes
        }
    }

    /// Rule B, of attributes, `-g` and dumps.
    ///
    /// In quotes if every byte is plain; else in uppercase hexadecimal and a space, followed by the text with octal
    /// escapes in quotes if some bytes are plain. No bytes give an empty text.
    static func quoted(_ value: SecretBytes) -> SecretBytes {
        value.withUnsafeBytes { bytes in
            var text = SecretBuffer(capacity: 6 * bytes.count + 8)
            guard !bytes.isEmpty else { return text.bytes }
            let plainCount = bytes.count(where: isPlain)
            if plainCount < bytes.count {
                text.append("0x")
                for byte in bytes { text.append(hexadecimal: byte, digits: upperCaseDigits) }
                text.append(plainCount > 0 ? "  " : " ")
            }
            guard plainCount > 0 else { return text.bytes }
            text.append("\"")
            for byte in bytes { text.append(escaped: byte) }
            text.append("\"")
            return text.bytes
        }
    }

    /// Rule B for non-secret values.
    static func quoted(_ bytes: [UInt8]) -> ByteText { ByteText(quoted(SecretBytes(bytes)).unprotectedCopy) }

    /// Rule B for a 32-bit number: four-character codes appear as text.
    static func quoted(_ number: UInt32) -> ByteText { quoted(number.bigEndianBytes) }

    /// Bytes in uppercase hexadecimal.
    static func capitalDigits(_ bytes: [UInt8]) -> String {
        let digits = bytes.flatMap { [upperCaseDigits[Int($0 >> 4)], upperCaseDigits[Int($0 & 15)]] }
        return String(decoding: digits, as: UTF8.self)
    }

    static func isPrintable(_ byte: UInt8) -> Bool { (0x20...0x7E).contains(byte) }

    fileprivate static func isPlain(_ byte: UInt8) -> Bool { isPrintable(byte) && byte != UInt8(ascii: "\\") }

    private static let lowerCaseDigits = Array("0123456789abcdef".utf8)
    private static let upperCaseDigits = Array("0123456789ABCDEF".utf8)
}

extension SecretBuffer {
    fileprivate mutating func append(hexadecimal byte: UInt8, digits: [UInt8]) {
        append(digits[Int(byte >> 4)])
        append(digits[Int(byte & 15)])
    }

    fileprivate mutating func append(escaped byte: UInt8) {
        guard !ValueFormat.isPlain(byte) else { return append(byte) }
        append("\\")
        for shift in [6, 3, 0] { append(UInt8(ascii: "0") + (byte >> UInt8(shift)) & 7) }
    }
}

extension FixedWidthInteger {
    /// The bytes in big-endian order.
    var bigEndianBytes: [UInt8] { withUnsafeBytes(of: bigEndian) { Array($0) } }
}
