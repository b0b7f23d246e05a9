// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Property lists on which Foundation crashes or hangs, or whose texts are compared for very long, each with the value
/// under a key.
package enum HostilePropertyList: String, CaseIterable, Sendable {
    /// An array that contains itself, in 85 bytes.
    case containsItself
    /// Arrays of ten, thirty deep, each of which is there once.
    case sharedArrays
    /// Seventy thousand arrays within each other, in XML.
    case deepXML
    /// The same in a binary list.
    case deepBinary
    /// An integer that is no UTF-8.
    case integerInLatin1
    /// An integer in UTF-16, without a mark of the byte order.
    case integerInUTF16
    /// Arrays within each other in the old text format.
    case deepText
    /// A text of very many combining marks.
    case marks
    /// The same in references to characters, with comments between them.
    case referencedMarks
    /// The same in the halves of characters that UTF-16 has.
    case halvedMarks
    /// A key of very many combining marks.
    case markedKey
    /// The same in a binary list.
    case binaryMarks

    /// The list.
    package func data(_ key: String = "keychain-access-groups") -> Data {
        switch self {
        case .containsItself: BinaryList.of([.dictionary(1, 2), .text(key), .array([2])])
        case .sharedArrays:
            BinaryList.of(
                [.dictionary(1, 2), .text(key)] + (3..<33).map { .array(Array(repeating: $0, count: 10)) } + [
                    .text("a")
                ]
            )
        case .deepXML: Self.xml(key, Self.nested("<array>", "</array>"))
        case .deepBinary:
            BinaryList.of([.dictionary(1, 2), .text(key)] + (3..<50_000).map { .array([$0]) } + [.text("a")])
        case .integerInLatin1: Self.xml(key, "<integer>12\u{e9}</integer>", encoding: .isoLatin1)
        case .integerInUTF16: Self.xml(key, "<integer>12</integer>", encoding: .utf16LittleEndian)
        case .deepText: Data("{ \"\(key)\" = \(Self.nested("(", ")")); }".utf8)
        case .marks: Self.xml(key, "<string>a\(Self.repeated("\u{301}\u{323}"))</string>")
        case .referencedMarks:
            Self.xml(key, "<string>a\(Self.repeated("&#x301;<!-- a --><!---->&#0803;\u{301}&#x00000323;"))</string>")
        case .halvedMarks: Self.xml(key, "<string>a\(Self.repeated("&#xD834;&#xDD65;"))</string>")
        case .markedKey:
            Self.xml(key, "<string>a</string><key>a\(Self.repeated("\u{301}&#x323;"))</key><string>a</string>")
        case .binaryMarks:
            BinaryList.of(
                [.dictionary(1, 2), .text(key)] + [
                    .raw([0x6F, 0x12, 0, 0, 0x9C, 0x40] + (0..<20_000).flatMap { _ in [0x03, 0x01, 0x03, 0x23] })
                ]
            )
        }
    }

    private static func repeated(_ text: String) -> String { String(repeating: text, count: 20_000) }

    private static func nested(_ start: String, _ end: String) -> String {
        String(repeating: start, count: 70_000) + String(repeating: end, count: 70_000)
    }

    private static func xml(_ key: String, _ value: String, encoding: String.Encoding = .utf8) -> Data {
        let text = "<plist version=\"1.0\"><dict><key>\(key)</key>\(value)</dict></plist>"
        return text.data(using: encoding) ?? Data()
    }
}

/// Writes binary property lists by hand.
package enum BinaryList {
    /// An object, with the numbers of others.
    package enum Object {
        case text(String)
        case array([Int])
        case dictionary(Int, Int)
        case raw([UInt8])

        fileprivate var bytes: [UInt8] {
            switch self {
            case .text(let text): [0x5F, 0x10, UInt8(text.utf8.count)] + text.utf8
            case .array(let members): [0xA0 | UInt8(members.count)] + members.flatMap { BinaryList.number($0, 2) }
            case .dictionary(let key, let value): [0xD1] + BinaryList.number(key, 2) + BinaryList.number(value, 2)
            case .raw(let bytes): bytes
            }
        }
    }

    /// A list whose first object is the list itself.
    package static func of(_ objects: [Object]) -> Data {
        var bytes = Array("bplist00".utf8)
        var starts: [Int] = []
        for object in objects {
            starts.append(bytes.count)
            bytes += object.bytes
        }
        let table = bytes.count
        bytes += starts.flatMap { number($0, 4) } + [0, 0, 0, 0, 0, 0, 4, 2]
        return Data(bytes + number(objects.count, 8) + number(0, 8) + number(table, 8))
    }

    private static func number(_ number: Int, _ count: Int) -> [UInt8] {
        (0..<count).reversed().map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
    }
}
