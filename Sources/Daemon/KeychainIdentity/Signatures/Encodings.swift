// SPDX-License-Identifier: Apache-2.0

/// Bytes as text: base 32 and base 64 for URLs, without padding (RFC 4648, sections 6 and 5), and hexadecimal digits.
enum Encodings {
    private static let base32Alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".utf8)
    private static let base64Alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

    static func base32(_ bytes: some Sequence<UInt8>) -> String { encode(bytes, base32Alphabet, bitsPerDigit: 5) }

    static func base64URL(_ bytes: some Sequence<UInt8>) -> String { encode(bytes, base64Alphabet, bitsPerDigit: 6) }

    /// The bytes of a text; `nil` for one that ``base64URL(_:)`` never produces, so that no two texts represent the
    /// same bytes.
    static func bytes(base64URL text: some Sequence<UInt8>) -> [UInt8]? {
        let text = Array(text)
        var bytes: [UInt8] = []
        var bits: UInt32 = 0
        var count = 0
        for digit in text {
            guard let value = base64Values[Int(digit)] else { return nil }
            bits = bits << 6 | UInt32(value)
            count += 6
            guard count >= 8 else { continue }
            count -= 8
            bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(count)))
        }
        return Array(base64URL(bytes).utf8) == text ? bytes : nil
    }

    private static let base64Values: [UInt8?] = {
        var values = [UInt8?](repeating: nil, count: 256)
        for (value, digit) in base64Alphabet.enumerated() { values[Int(digit)] = UInt8(value) }
        return values
    }()

    private static func encode(_ bytes: some Sequence<UInt8>, _ alphabet: [UInt8], bitsPerDigit: Int) -> String {
        var text: [UInt8] = []
        var bits: UInt32 = 0
        var count = 0
        let mask = UInt32(alphabet.count - 1)
        for byte in bytes {
            bits = bits << 8 | UInt32(byte)
            count += 8
            while count >= bitsPerDigit {
                count -= bitsPerDigit
                text.append(alphabet[Int(bits >> UInt32(count) & mask)])
            }
        }
        if count > 0 { text.append(alphabet[Int(bits << UInt32(bitsPerDigit - count) & mask)]) }
        return String(decoding: text, as: UTF8.self)
    }
}
