// SPDX-License-Identifier: Apache-2.0

import Glibc
import KeychainAuthenticators
import KeychainCore

/// Bytes from hexadecimal digits, for `-X`.
enum HexadecimalText {
    /// The bytes of the digits; `nil` if there is another character, or an odd number of digits.
    ///
    /// - Important: Differs from macOS, which loses a digit if their number is odd.
    static func bytes(_ digits: SecretBytes) -> SecretBytes? {
        digits.withUnsafeBytes { digits in
            guard digits.count.isMultiple(of: 2) else { return nil }
            var bytes = SecretBuffer(capacity: digits.count / 2)
            for index in stride(from: 0, to: digits.count, by: 2) {
                guard let high = digits[index].hexDigitValue, let low = digits[index + 1].hexDigitValue else {
                    return nil
                }
                bytes.append(high << 4 | low)
            }
            return bytes.bytes
        }
    }
}

extension Status {
    /// The message for the status, as every part of the command prints it.
    var text: String {
        if let message { return message }
        if Self.systemErrors.contains(rawValue) {
            return Self.text(ofSystemError: rawValue - Self.systemErrors.lowerBound)
        }
        let digits = String(UInt64(bitPattern: Int64(rawValue)), radix: 16)
        return "unknown error \(rawValue)=\(digits)"
    }

    /// The message for an `errno`, in the form of statuses that represent one.
    static func text(ofSystemError code: Int32) -> String { "UNIX[\(String(cString: strerror(code)))]" }

    /// The statuses that represent an `errno`: 100000 plus the code.
    private static let systemErrors: ClosedRange<Int32> = 100_000...100_255
}
