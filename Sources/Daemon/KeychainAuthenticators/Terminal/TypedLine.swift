// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// A line as it is typed, with the keys that edit it: what a terminal does for lines of up to 4095 bytes.
struct TypedLine: ~Copyable {
    /// The control keys, which are not part of the input; 0 for none.
    struct Keys: Sendable, Hashable {
        var interrupt: UInt8 = 0x03
        var endOfFile: UInt8 = 0x04
        var erase: UInt8 = 0x7F
        var eraseLine: UInt8 = 0x15
        var literalNext: UInt8 = 0x16
    }

    /// The effect of a byte.
    enum Event {
        case more
        case complete
        case cancelled
    }

    /// The most bytes that a line may have: 1 MiB.
    static let longest = 1 << 20

    private let keys: Keys
    private var typed = SecretBuffer()
    private var isLiteral = false

    /// Whether there were more bytes than a line may have; the rest was dropped.
    private(set) var isTooLong = false

    init(_ keys: Keys) { self.keys = keys }

    /// Takes a byte.
    mutating func type(_ byte: UInt8) -> Event {
        if isLiteral {
            isLiteral = false
            append(byte)
            return .more
        }
        switch byte {
        case UInt8(ascii: "\n"), UInt8(ascii: "\r"): return .complete
        case 0: append(byte)
        case keys.interrupt, keys.endOfFile: return .cancelled
        case keys.erase, 0x08, 0x7F: typed.removeLast(lastCharacter)
        case keys.eraseLine:
            typed.removeLast(typed.count)
            isTooLong = false
        case keys.literalNext: isLiteral = true
        default: append(byte)
        }
        return .more
    }

    /// The typed bytes.
    var bytes: SecretBytes { typed.bytes }

    private mutating func append(_ byte: UInt8) {
        guard typed.count < Self.longest else {
            isTooLong = true
            return
        }
        typed.append(byte)
    }

    /// How many bytes the last character has: one, unless the bytes are a longer character in UTF-8.
    private var lastCharacter: Int {
        for count in 1...4 {
            guard let byte = typed.last(but: count - 1) else { break }
            if byte & 0xC0 != 0x80 { return (~byte).leadingZeroBitCount == count ? count : 1 }
        }
        return 1
    }
}
