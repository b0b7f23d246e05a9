// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// Whether a report shows the values of attributes, or hashes of them.
package struct Redaction: Sendable {
    private let hash: (@Sendable ([UInt8]) -> [UInt8])?

    /// Values are shown.
    package static let none = Redaction(hash: nil)

    /// Values are replaced by hashes.
    ///
    /// The testing kit links this module into every test, so it uses no cryptography: the caller provides the hash.
    ///
    /// - Parameter hash: a keyed hash of bytes, of which a report shows the first 32 bits; with a new key for each
    ///   report, so that equal values have equal hashes in one report, and different ones in the next.
    /// - Returns: The redaction for such a report.
    package static func hashed(by hash: @escaping @Sendable ([UInt8]) -> [UInt8]) -> Redaction { Redaction(hash: hash) }

    package var isHashed: Bool { hash != nil }

    /// A value as the report has it.
    func shown(_ text: String) -> String {
        guard let hash else { return text }
        return "#" + Array(hash(Array(text.utf8)).prefix(4)).hexadecimal
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

    /// The private-use characters that delimit a value in a sentence until it is rendered.
    enum Mark {
        static let open: Character = "\u{E000}"
        static let close: Character = "\u{E001}"

        static func value(_ text: String) -> String {
            "\(open)\(text.filter { $0 != open && $0 != close })\(close)"
        }
    }
}
