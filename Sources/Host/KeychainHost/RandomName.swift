// SPDX-License-Identifier: Apache-2.0

/// Unique names: 128 random bits as 32 lowercase hexadecimal digits.
package enum RandomName {
    /// A new one.
    package static func make() -> String {
        (0..<2).map { _ in
            let digits = String(UInt64.random(in: .min ... .max), radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }.joined()
    }

    /// Whether some characters have the form of one.
    package static func isOne(_ characters: some Collection<UInt8>) -> Bool {
        characters.count == 32 && characters.allSatisfy("0123456789abcdef".utf8.contains)
    }
}
