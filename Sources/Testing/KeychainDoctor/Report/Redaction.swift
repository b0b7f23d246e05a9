// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// Whether a report shows the values of attributes, or hashes of them.
package struct Redaction: Sendable {
    private let hash: (@Sendable ([UInt8]) -> [UInt8])?

    /// Values are shown.
    package static let none = Redaction(hash: nil)

    /// Values are replaced by hashes.
    ///
    /// The testing kit brings this module to every test, so no cryptography is linked for it: who redacts passes it in.
    ///
    /// - Parameter hash: the keyed hash of some bytes, of which a report has the first 32 bits; under a key of its own
    ///   for each report, so that equal values have equal hashes there and other ones in the next.
    /// - Returns: How such a report shows values.
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

    /// What stands around a value in a sentence until it is rendered: characters for private use.
    enum Mark {
        static let open: Character = "\u{E000}"
        static let close: Character = "\u{E001}"

        static func value(_ text: String) -> String {
            "\(open)\(text.filter { $0 != open && $0 != close })\(close)"
        }
    }
}
