// SPDX-License-Identifier: Apache-2.0

import Crypto
import KeychainCore

/// Whether a report shows the values of attributes, or keyed hashes of them (HMAC-SHA256, RFC 2104, cut to 32 bits).
///
/// Equal values have equal hashes within a report, and other ones in the next: the key is drawn anew.
package struct Redaction: Sendable {
    private let key: SymmetricKey?

    /// Values are shown.
    package static let none = Redaction(key: nil)

    /// Values are replaced by hashes.
    package static func hashed() -> Redaction { Redaction(key: SymmetricKey(size: .bits256)) }

    package var isHashed: Bool { key != nil }

    /// A value as the report has it.
    func shown(_ text: String) -> String {
        guard let key else { return text }
        let code = HMAC<SHA256>.authenticationCode(for: Array(text.utf8), using: key)
        return "#" + Array(code.prefix(4)).hexadecimal
    }

    /// The name of a key; one that the keychain does not know may be anything, even a secret.
    func key(_ key: String, of itemClass: ItemClass? = nil) -> String {
        KeyNames.isKnown(key) ? KeyNames.constant(key, of: itemClass) : shown(key)
    }

    /// A sentence with its marked values as the report has them.
    func sentence(_ text: String) -> String {
        var (result, value) = ("", String?.none)
        for character in text {
            switch (character, value) {
            case (Mark.open, _): value = ""
            case (Mark.close, let inner?):
                result += shown(inner)
                value = nil
            case (_, .some): value?.append(character)
            case (_, nil): result.append(character)
            }
        }
        return result
    }

    /// What stands around a value in a sentence until it is rendered: characters for private use.
    enum Mark {
        static let open: Character = "\u{E000}"
        static let close: Character = "\u{E001}"

        static func value(_ text: String) -> String {
            "\(open)\(text.filter { $0 != open && $0 != close })\(close)"
        }
    }
}

extension Collection<UInt8> {
    /// Two digits a byte.
    var hexadecimal: String {
        map { byte in
            let digits = String(byte, radix: 16)
            return digits.count == 1 ? "0" + digits : digits
        }
        .joined()
    }
}
