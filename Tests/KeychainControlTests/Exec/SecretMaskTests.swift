// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import Testing

@testable import KeychainControl

/// Asterisks in the place of secrets, however a stream is divided.
struct SecretMaskTests {
    @Test(
        "each occurrence is masked, and nothing else",
        arguments: [
            ("abc", ["secret"], "abc"), ("a secret b", ["secret"], "a ******** b"),
            ("secretsecret", ["secret"], "****************"), ("sesecret", ["secret"], "se********"),
            ("secre", ["secret"], "secre"), ("aaab", ["aab"], "a********"), ("abcd", ["abc", "abcd"], "********"),
            ("abcx", ["abc", "abcd"], "********x"), ("x", [], "x"), ("x", [""], "x"),
            ("two\nlines", ["two\nlines"], "********"), ("xababax", ["aba"], "x********x"),
            ("aaaaab", ["aa"], "********b"), ("abcdef", ["cd", "abcdef"], "********"),
            ("abcdex", ["cd", "abcdef"], "ab********ex"), ("abcbcd", ["abc", "bcd"], "****************"),
            ("abcd", ["abc", "bcd"], "********"), ("a", ["a"], "********"), ("aba", ["a"], "********b********"),
        ]
    )
    func masks(_ text: String, _ secrets: [String], shown: String) {
        let bytes = Array(text.utf8)
        for chunk in 1...max(bytes.count, 1) {
            var mask = SecretMask(secrets.map { SecretBytes(Array($0.utf8)) })
            var output: [UInt8] = []
            for start in stride(from: 0, to: bytes.count, by: chunk) {
                output += mask.next(bytes[start..<min(start + chunk, bytes.count)])
            }
            output += mask.rest()
            #expect(String(decoding: output, as: UTF8.self) == shown, "in chunks of \(chunk)")
        }
    }

    @Test("a stream that repeats the beginning of a long secret is shown as it comes, and what is held stays short")
    func repetition() {
        let secret = [UInt8](repeating: 0x61, count: 30_000) + [0x62]
        var mask = SecretMask([SecretBytes(secret)])
        var shown = 0
        let chunk = [UInt8](repeating: 0x61, count: 10_000)
        for number in 1...30 {
            shown += mask.next(chunk).count
            #expect(shown == max(0, number * chunk.count - 30_000))
        }
        #expect(mask.next([0x62]) == Array("********".utf8))
        #expect(mask.rest().isEmpty)
    }

    @Test("what cannot be the beginning of a secret is shown at once")
    func promptness() {
        var mask = SecretMask([SecretBytes(Array("secret".utf8))])
        #expect(mask.next(Array("Password: ".utf8)) == Array("Password: ".utf8))
        #expect(mask.next(Array("sec".utf8)).isEmpty)
        #expect(mask.next(Array("ond".utf8)) == Array("second".utf8))
    }
}
