// SPDX-License-Identifier: Apache-2.0

import Glibc
import KeychainCore

/// The form of random passwords, all of which are equally likely.
enum GeneratedPassword {
    case characters(Alphabet, Int)
    /// Proquints: words of 16 bits each, in which consonants and vowels alternate (Wilkerson, "A Proposal for
    /// Proquints", arXiv:0901.4016).
    case words(Int)

    /// The most characters or words.
    static let largestCount = 4_096

    /// Different characters of ASCII.
    struct Alphabet: Hashable, Sendable {
        let characters: [UInt8]

        /// Those that have a name.
        private static let named: KeyValuePairs<String, String> = [
            "alphanumeric": letters + digits,
            "letters": letters,
            "digits": digits,
            "hexadecimal": digits + "abcdef",
            // Without those that look like others.
            "distinct": "ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz23456789",
            "symbols": letters + digits + "!#$%&()*+,-./:;<=>?@[]^_{|}~",
        ]

        private static let letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
        private static let digits = "0123456789"

        /// The names, for a message.
        static let names = named.map(\.key).joined(separator: ", ")

        /// An alphabet of a name, or of the characters themselves.
        ///
        /// - Returns: `nil` for fewer than two characters, for one that occurs twice, and for any that is not a visible
        ///   one of ASCII.
        init?(_ text: String) {
            let characters = Array((Self.named.first { $0.key == text }?.value ?? text).utf8)
            guard characters.count > 1, Set(characters).count == characters.count,
                characters.allSatisfy({ (0x21...0x7E).contains($0) })
            else { return nil }
            self.characters = characters
        }
    }

    private static let consonants = Array("bdfghjklmnprstvz".utf8)
    private static let vowels = Array("aiou".utf8)

    /// The number of passwords of the form, as its binary logarithm, rounded down.
    var bits: Int {
        switch self {
        case .characters(let alphabet, let count):
            Int((log2(Double(alphabet.characters.count)) * Double(count)).rounded(.down))
        case .words(let count): 16 * count
        }
    }

    /// A random password, from the system's generator (getrandom(2)).
    func random() -> SecretBytes {
        var generator = SystemRandomNumberGenerator()
        return random(using: &generator)
    }

    /// A random password.
    func random(using generator: inout some RandomNumberGenerator) -> SecretBytes {
        switch self {
        case .characters(let alphabet, let count):
            SecretBytes(count: count) { bytes in
                for index in bytes.indices { bytes[index] = alphabet.characters.randomByte(using: &generator) }
            }
        case .words(let count):
            SecretBytes(count: 6 * count - 1) { bytes in
                for index in bytes.indices {
                    switch index % 6 {
                    case 5: bytes[index] = UInt8(ascii: "-")
                    case let place where place % 2 == 0: bytes[index] = Self.consonants.randomByte(using: &generator)
                    default: bytes[index] = Self.vowels.randomByte(using: &generator)
                    }
                }
            }
        }
    }
}

extension [UInt8] {
    /// One of them; there is at least one.
    fileprivate func randomByte(using generator: inout some RandomNumberGenerator) -> UInt8 {
        self[Int.random(in: indices, using: &generator)]
    }
}
