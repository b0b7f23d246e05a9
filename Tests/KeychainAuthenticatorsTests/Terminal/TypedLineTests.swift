// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import Testing

@testable import KeychainAuthenticators

struct TypedLineTests {
    /// What a line holds when it is complete; `nil` for one that was cancelled or goes on.
    private static func line(_ bytes: [UInt8], _ keys: TypedLine.Keys = TypedLine.Keys()) -> [UInt8]? {
        var line = TypedLine(keys)
        for byte in bytes {
            switch line.type(byte) {
            case .more: continue
            case .complete: return line.bytes.unprotectedCopy
            case .cancelled: return nil
            }
        }
        return nil
    }

    @Test(
        "what is typed, and the keys that edit it",
        arguments: [
            ("\n", ""), ("abc\n", "abc"), ("abc\r", "abc"), ("abc", nil), ("ab\u{7F}c\n", "ac"), ("ab\u{8}c\n", "ac"),
            ("\u{7F}\u{7F}a\n", "a"), ("aé\u{7F}b\n", "ab"), ("a€\u{7F}b\n", "ab"), ("a🔑\u{7F}b\n", "ab"),
            ("abc\u{15}d\n", "d"), ("\u{3}\n", nil), ("ab\u{3}\n", nil), ("\u{4}", nil), ("ab\u{4}\n", nil),
            ("\u{16}\u{3}\n", "\u{3}"), ("\u{16}\n\n", "\n"), ("\u{16}\u{16}\n", "\u{16}"),
            ("a\u{16}\u{7F}\u{7F}b\n", "ab"), ("a\u{0}b\n", "a\u{0}b"), (" a\tb \n", " a\tb "),
        ] as [(String, String?)]
    )
    func keys(typed: String, expected: String?) {
        #expect(Self.line(Array(typed.utf8)) == expected.map { Array($0.utf8) })
    }

    @Test(
        "bytes that are no UTF-8 are kept, and erased one by one",
        arguments: [
            ([0xFF, 0xFE, 0x0A], [0xFF, 0xFE]), ([0x61, 0x80, 0x7F, 0x0A], [0x61]), ([0xFF, 0x80, 0x7F, 0x0A], [0xFF]),
            ([0xC3, 0x80, 0x80, 0x7F, 0x0A], [0xC3, 0x80]),
            ([0x80, 0x80, 0x80, 0x80, 0x80, 0x7F, 0x0A], [0x80, 0x80, 0x80, 0x80]),
            ([0x80, 0x7F, 0x0A], []),
        ] as [([UInt8], [UInt8])]
    )
    func otherBytes(typed: [UInt8], expected: [UInt8]) { #expect(Self.line(typed) == expected) }

    @Test("a terminal's own keys; those that it has not are typed")
    func otherKeys() {
        let own = TypedLine.Keys(interrupt: 0x18, endOfFile: 0x1A, erase: 0x23, eraseLine: 0x40, literalNext: 0x5C)
        #expect(Self.line(Array("ab#c\n".utf8), own) == Array("ac".utf8))
        #expect(Self.line(Array("ab@c\n".utf8), own) == Array("c".utf8))
        #expect(Self.line(Array("a\\@\n".utf8), own) == Array("a@".utf8))
        #expect(Self.line([0x61, 0x18, 0x0A], own) == nil)
        #expect(Self.line([0x61, 0x1A, 0x0A], own) == nil)
        let none = TypedLine.Keys(interrupt: 0, endOfFile: 0, erase: 0, eraseLine: 0, literalNext: 0)
        #expect(Self.line([0, 3, 4, 0x15, 0x16, 0x0A], none) == [0, 3, 4, 0x15, 0x16])
    }

    @Test("a line may have 1 MiB, and one that has more says so")
    func longest() {
        var line = TypedLine(TypedLine.Keys())
        for _ in 0..<1 << 20 { _ = line.type(0x61) }
        #expect(!line.isTooLong && line.bytes.count == 1 << 20)
        _ = line.type(0x61)
        #expect(line.isTooLong && line.bytes.count == 1 << 20)
        _ = line.type(0x15)
        #expect(!line.isTooLong && line.bytes.isEmpty)
    }
}
