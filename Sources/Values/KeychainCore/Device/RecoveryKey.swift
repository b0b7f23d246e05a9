// SPDX-License-Identifier: Apache-2.0

import KeychainSupport

/// A recovery key: 128 random bits that open a store without its passcode and its root key.
///
/// People write it down as text: Bech32m (BIP 350) with the prefix `skr`, in groups of four characters. Its alphabet
/// has no characters that look alike, and its checksum finds every mistake in up to four characters.
package struct RecoveryKey: Sendable, Hashable {
    /// The number of bytes: 16.
    package static let byteCount = 16

    /// The bytes.
    package let bytes: SecretBytes

    /// A recovery key from its bytes; `nil` for another number of them.
    package init?(_ bytes: SecretBytes) {
        guard bytes.count == Self.byteCount else { return nil }
        self.bytes = bytes
    }

    /// A random recovery key, of the system's generator.
    package static func random() -> RecoveryKey {
        var generator = SystemRandomNumberGenerator()
        let bytes = SecretBytes(count: byteCount) { buffer in
            for index in buffer.indices { buffer[index] = .random(in: .min ... .max, using: &generator) }
        }
        guard let key = RecoveryKey(bytes) else { preconditionFailure("it has the right number of bytes") }
        return key
    }
}

/// The text form.
extension RecoveryKey {
    /// Why a text is no recovery key.
    package enum TextFault: Error, Sendable, Hashable, CaseIterable {
        /// It has more characters, or fewer.
        case length
        /// It has a character that no recovery key has.
        case character
        /// Its checksum is wrong: it was mistyped.
        case checksum
    }

    /// The number of characters of the text, separators included: 44.
    package static let textByteCount = groupCount * (groupByteCount + 1) - 1

    /// The number of characters of a group: 4.
    package static let groupByteCount = 4

    private static let groupCount = (prefix.count + 1 + dataCount + Bech32m.checksumCount) / groupByteCount
    private static let prefix = Array("skr".utf8)
    private static let separator = UInt8(ascii: "-")
    /// 128 bits in characters of 5.
    private static let dataCount = 26

    /// The text: groups in upper case, with hyphens between them.
    package var text: SecretBytes {
        var values = SecretValues()
        bytes.withUnsafeBytes { bytes in
            var (bits, count) = (0 as UInt32, 0)
            for byte in bytes {
                (bits, count) = (bits << 8 | UInt32(byte), count + 8)
                while count >= 5 {
                    count -= 5
                    values.append(UInt8(truncatingIfNeeded: bits >> UInt32(count)) & 31)
                }
            }
            if count > 0 { values.append(UInt8(truncatingIfNeeded: bits << UInt32(5 - count)) & 31) }
        }
        Bech32m.appendChecksum(to: &values, prefix: Self.prefix)
        return SecretBytes(count: Self.textByteCount) { text in
            var at = 0
            func put(_ character: UInt8) {
                if at % (Self.groupByteCount + 1) == Self.groupByteCount {
                    text[at] = Self.separator
                    at += 1
                }
                text[at] = Bech32m.upperCase(character)
                at += 1
            }
            for character in Self.prefix + [Bech32m.separator] { put(character) }
            for index in 0..<values.count { put(Bech32m.alphabet[Int(values[index])]) }
        }
    }

    /// The last group of the text.
    package var lastGroup: SecretBytes {
        text.withUnsafeBytes { SecretBytes(copying: UnsafeRawBufferPointer(rebasing: $0.suffix(Self.groupByteCount))) }
    }

    /// A recovery key from what somebody typed: in upper or lower case, with or without separators and prefix.
    package init(typed text: SecretBytes) throws(TextFault) {
        var values = SecretValues()
        try text.withUnsafeBytes { (text) throws(TextFault) in
            let prefix = Self.prefix + [Bech32m.separator]
            var leadingCount = 0
            // The separator is not in the alphabet, so a prefix is never a part of the data.
            let hasPrefix = text.lazy.filter { !Self.isSpacing($0) }.prefix(prefix.count).map(Bech32m.lowerCase)
                .elementsEqual(prefix)
            for byte in text where !Self.isSpacing(byte) {
                if hasPrefix, leadingCount < prefix.count {
                    leadingCount += 1
                    continue
                }
                guard let value = Bech32m.value(of: byte) else { throw .character }
                guard values.append(value) else { throw .length }
            }
        }
        guard values.count == Self.dataCount + Bech32m.checksumCount else { throw .length }
        guard Bech32m.isValid(values, prefix: Self.prefix) else { throw .checksum }
        // The last character has 3 bits of the key.
        guard values[Self.dataCount - 1] & 3 == 0 else { throw .checksum }
        bytes = SecretBytes(count: Self.byteCount) { bytes in
            var (bits, count, at) = (0 as UInt32, 0, 0)
            for index in 0..<Self.dataCount {
                (bits, count) = (bits << 5 | UInt32(values[index]), count + 5)
                guard count >= 8, at < bytes.count else { continue }
                count -= 8
                bytes[at] = UInt8(truncatingIfNeeded: bits >> UInt32(count))
                at += 1
            }
        }
    }

    private static func isSpacing(_ byte: UInt8) -> Bool {
        [separator, UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r"), UInt8(ascii: "\n")].contains(byte)
    }
}

/// Characters of five bits each, at most 32, which are wiped at the end.
private struct SecretValues: ~Copyable {
    private static let capacity = 32
    private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.capacity, alignment: 8)
    private(set) var count = 0

    init() { buffer.initializeMemory(as: UInt8.self, repeating: 0) }

    deinit {
        CSupport.wipe(buffer.baseAddress, buffer.count)
        buffer.deallocate()
    }

    /// Adds a value.
    ///
    /// - Returns: Whether there was room.
    @discardableResult
    mutating func append(_ value: UInt8) -> Bool {
        guard count < Self.capacity else { return false }
        buffer[count] = value
        count += 1
        return true
    }

    subscript(index: Int) -> UInt8 { buffer[index] }
}

/// The parts of Bech32m (BIP 350) that a key of a fixed length needs.
private enum Bech32m {
    static let alphabet = Array("qpzry9x8gf2tvdw0s3jn54khce6mua7l".utf8)
    static let separator = UInt8(ascii: "1")
    static let checksumCount = 6
    private static let constant: UInt32 = 0x2BC8_30A3
    private static let generator: [UInt32] = [0x3B6A_57B2, 0x2650_8E6D, 0x1EA1_19FA, 0x3D42_33DD, 0x2A14_62B3]

    static func value(of character: UInt8) -> UInt8? {
        alphabet.firstIndex(of: lowerCase(character)).map { UInt8($0) }
    }

    static func lowerCase(_ character: UInt8) -> UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(character) ? character | 0x20 : character
    }

    static func upperCase(_ character: UInt8) -> UInt8 {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(character) ? character & ~0x20 : character
    }

    static func isValid(_ values: borrowing SecretValues, prefix: [UInt8]) -> Bool {
        var sum = begin(prefix)
        for index in 0..<values.count { sum = next(sum, values[index]) }
        return sum == constant
    }

    static func appendChecksum(to values: inout SecretValues, prefix: [UInt8]) {
        var sum = begin(prefix)
        for index in 0..<values.count { sum = next(sum, values[index]) }
        for _ in 0..<checksumCount { sum = next(sum, 0) }
        sum ^= constant
        for index in 0..<checksumCount {
            values.append(UInt8(truncatingIfNeeded: sum >> UInt32(5 * (checksumCount - 1 - index))) & 31)
        }
    }

    private static func begin(_ prefix: [UInt8]) -> UInt32 {
        let expanded = prefix.map { $0 >> 5 } + [0] + prefix.map { $0 & 31 }
        return expanded.reduce(1) { next($0, $1) }
    }

    private static func next(_ sum: UInt32, _ value: UInt8) -> UInt32 {
        let top = sum >> 25
        let shifted = (sum & 0x1FF_FFFF) << 5 ^ UInt32(value)
        return generator.enumerated().reduce(shifted) { top >> UInt32($1.offset) & 1 == 1 ? $0 ^ $1.element : $0 }
    }
}
