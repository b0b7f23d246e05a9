// SPDX-License-Identifier: Apache-2.0

import KeychainAuthenticators
import KeychainCore

/// A secret as a line of a terminal, which is wiped from memory as the secret is.
enum ShownSecret {
    /// The beginning that has room, with an ellipsis if there is more; what a terminal would obey is shown as an escape
    /// of Swift's.
    static func line(_ secret: SecretBytes, width: Int) -> SecretBytes {
        var line = SecretBuffer(capacity: max(width, 0) * 4 + 16)
        guard let isWhole = forEachCharacter(of: secret, in: width, { _ in }) else {
            let text = "(\(secret.count) bytes that are no text)"
            return SecretBytes(Array(text.utf8.prefix(max(width, 0))))
        }
        _ = forEachCharacter(of: secret, in: isWhole ? width : width - 1) { text in
            for byte in text.utf8 { line.append(byte) }
        }
        if !isWhole, width > 0 {
            for byte in "…".utf8 { line.append(byte) }
        }
        return line.bytes
    }

    /// Calls back with the characters that have room.
    ///
    /// - Returns: Whether all have; `nil` if the secret is no text.
    private static func forEachCharacter(of secret: SecretBytes, in width: Int, _ body: (String) -> Void) -> Bool? {
        secret.withUnsafeBytes { bytes in
            var (parser, input, left) = (Unicode.UTF8.ForwardParser(), bytes.makeIterator(), width)
            while true {
                switch parser.parseScalar(from: &input) {
                case .emptyInput: return true
                case .error: return nil
                case .valid(let encoded):
                    let scalar = Unicode.UTF8.decode(encoded)
                    let text = scalar.isInvisible ? escape(scalar) : String(scalar)
                    left -= TextWidth.of(text)
                    guard left >= 0 else { return false }
                    body(text)
                }
            }
        }
    }

    private static func escape(_ scalar: Unicode.Scalar) -> String {
        switch scalar {
        case "\n": "\\n"
        case "\r": "\\r"
        case "\t": "\\t"
        default: "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
        }
    }
}
