// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import Testing

/// The text of a recovery key: Bech32m (BIP 350) with the prefix "skr".
struct RecoveryKeyTests {
    private static let all = UInt8.min ... .max

    /// Made by another program, from the text of BIP 350 alone.
    private static let samples: [([UInt8], String)] = [
        (Array(repeating: 0, count: 16), "SKR1-QQQQ-QQQQ-QQQQ-QQQQ-QQQQ-QQQQ-QQW0-PCPC"),
        (Array(0..<16), "SKR1-QQQS-YQCY-Q5RQ-WZQF-PG9S-CRGW-PU5K-L8L0"),
        (Array(repeating: 0xFF, count: 16), "SKR1-LLLL-LLLL-LLLL-LLLL-LLLL-LLLL-LU5W-E5CC"),
        (
            [0xDE, 0xAD, 0xBE, 0xEF, 0x01, 0x23, 0x45, 0x67, 0x89, 0xAB, 0xCD, 0xEF, 0x00, 0x11, 0x22, 0x33],
            "SKR1-M6KM-AMCP-YDZK-0ZDT-EHHS-QYFZ-XVFC-L55E"
        ),
    ]

    private static func typed(_ text: String) throws(RecoveryKey.TextFault) -> RecoveryKey {
        try RecoveryKey(typed: SecretBytes(Array(text.utf8)))
    }

    @Test("a key has the text that another program gives it, and that text is the key", arguments: samples)
    func text(_ bytes: [UInt8], _ text: String) throws {
        let key = try #require(RecoveryKey(SecretBytes(bytes)))
        #expect(key.text.unprotectedCopy == Array(text.utf8))
        #expect(try Self.typed(text) == key)
        #expect(key.lastGroup.unprotectedCopy == Array(text.utf8.suffix(4)))
        #expect(text.utf8.count == RecoveryKey.textByteCount)
    }

    @Test(
        "case, separators and the prefix do not matter",
        arguments: [
            "skr1-qqqs-yqcy-q5rq-wzqf-pg9s-crgw-pu5k-l8l0", "skr1qqqsyqcyq5rqwzqfpg9scrgwpu5kl8l0",
            "QQQS-YQCY-Q5RQ-WZQF-PG9S-CRGW-PU5K-L8L0", " qqqs yqcy q5rq\twzqf pg9s crgw pu5k l8l0\r\n",
            "Skr1 QqQs-Yqcy  q5rqwzqf--pg9scrgwpu5kl8l0-",
        ]
    )
    func forms(_ text: String) throws {
        #expect(try Self.typed(text).bytes.unprotectedCopy == Array(0..<16))
    }

    @Test("any other character in any one place is noticed, and so are two that were swapped")
    func mistakes() throws {
        let text = Array(Self.samples[1].1.utf8)
        let key = try #require(RecoveryKey(SecretBytes(Array(0..<16))))
        for place in text.indices where place > 4 && text[place] != UInt8(ascii: "-") {
            for byte in Self.all where byte | 0x20 != text[place] | 0x20 {
                var other = text
                other[place] = byte
                #expect(throws: RecoveryKey.TextFault.self, "\(place), \(byte)") {
                    try RecoveryKey(typed: SecretBytes(other))
                }
            }
            for next in text.indices where next > place && text[next] != text[place] {
                var other = text
                other.swapAt(place, next)
                let read = try? RecoveryKey(typed: SecretBytes(other))
                // A separator may be anywhere.
                #expect(read == nil || read == key, "\(place), \(next)")
            }
        }
    }

    @Test(
        "what is no key is refused, with the kind of mistake",
        arguments: [
            ("", RecoveryKey.TextFault.length), ("SKR1", .length), ("1234", .character),
            ("SKR1-QQQS-YQCY-Q5RQ-WZQF-PG9S-CRGW-PU5K-L8L", .length),
            ("SKR1-QQQS-YQCY-Q5RQ-WZQF-PG9S-CRGW-PU5K-L8L00", .length),
            ("SKR1-QQQS-YQCY-Q5RQ-WZQF-PG9S-CRGW-PU5K-L8LO", .character),
            ("SKR1-QQQS-YQCY-Q5RQ-WZQF-PG9S-CRGW-PU5K-L8L9", .checksum),
            // The checksum is right, and bits are set that no key has.
            ("SKR1-QQQS-YQCY-Q5RQ-WZQF-PG9S-CRGW-PAFQ-TJZA", .checksum),
            ("SKR1-QQQS-YQCY-Q5RQ-WZQF-PG9S-CRGW-P78N-7YVZ", .checksum),
            // Bech32 (BIP 173) instead of Bech32m: the same text under the other constant.
            ("BC1Q-W508-D6QE-JXTD-G4Y5-R3ZA-RVAR-Y0C5-XW7K", .character),
            (String(repeating: "Q", count: 10_000), .length),
        ]
    )
    func others(_ text: String, _ fault: RecoveryKey.TextFault) {
        #expect(throws: fault) { try Self.typed(text) }
    }

    @Test("keys are random, and have sixteen bytes")
    func random() {
        let keys = (0..<64).map { _ in RecoveryKey.random() }
        #expect(Set(keys.map { $0.bytes.unprotectedCopy }).count == 64)
        #expect(keys.allSatisfy { $0.bytes.count == 16 })
        // Each bit is set in some and not in others.
        let bytes = keys.map { $0.bytes.unprotectedCopy }
        for place in 0..<16 {
            #expect(bytes.reduce(0) { $0 | $1[place] } == 0xFF && bytes.reduce(0xFF) { $0 & $1[place] } == 0)
        }
        #expect(RecoveryKey(SecretBytes([1])) == nil)
    }

    @Test("a key tells nothing of itself where values are printed")
    func description() {
        let key = RecoveryKey.random()
        #expect("\(key) \(String(reflecting: key))".contains("16 bytes"))
    }
}
