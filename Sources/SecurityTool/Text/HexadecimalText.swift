// SPDX-License-Identifier: Apache-2.0

import KeychainAuthenticators
import KeychainCore

/// Bytes from hexadecimal digits, for `-X`.
enum HexadecimalText {
    /// The bytes that the digits stand for; `nil` when there is another character, or half a byte.
    ///
    /// - Important: Differs from macOS, which loses a digit when their number is odd (reference, section 9.1).
    static func bytes(_ digits: SecretBytes) -> SecretBytes? {
        digits.withUnsafeBytes { digits in
            guard digits.count.isMultiple(of: 2) else { return nil }
            var bytes = SecretBuffer(capacity: digits.count / 2)
            for index in stride(from: 0, to: digits.count, by: 2) {
                guard let high = value(digits[index]), let low = value(digits[index + 1]) else { return nil }
                bytes.append(high << 4 | low)
            }
            return bytes.bytes
        }
    }

    private static func value(_ digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
