// SPDX-License-Identifier: Apache-2.0

/// A property list in OpenStep's text format, which Xcode uses for projects.
///
/// Source: Apple, "Old-Style ASCII Property Lists" (Property List Programming Guide).
indirect enum OpenStepPropertyList: Sendable {
    case string(String)
    case array([OpenStepPropertyList])
    case dictionary([String: Entry])

    struct Entry: Sendable {
        var value: OpenStepPropertyList
        /// The line of the key, from 1.
        var line: Int
    }

    /// nil if the text is not a property list in this format.
    init?(_ text: String) {
        var reader = Reader(bytes: Array(text.utf8))
        guard let value = reader.value(depth: 0) else { return nil }
        self = value
    }

    subscript(_ key: String) -> OpenStepPropertyList? { entries[key]?.value }

    var entries: [String: Entry] {
        if case .dictionary(let entries) = self { entries } else { [:] }
    }

    var string: String? {
        if case .string(let text) = self { text } else { nil }
    }

    /// The strings of an array, or a single string in its place.
    var strings: [String] {
        switch self {
        case .string(let text): [text]
        case .array(let values): values.compactMap(\.string)
        case .dictionary: []
        }
    }
}

private struct Reader {
    let bytes: [UInt8]
    var index = 0
    var line = 1

    init(bytes: [UInt8]) { self.bytes = bytes }

    private static let maximumDepth = 64

    mutating func value(depth: Int) -> OpenStepPropertyList? {
        guard depth < Self.maximumDepth, let byte = next() else { return nil }
        switch byte {
        case UInt8(ascii: "{"): return dictionary(depth)
        case UInt8(ascii: "("): return array(depth)
        default: return word().map { .string($0) }
        }
    }

    private mutating func dictionary(_ depth: Int) -> OpenStepPropertyList? {
        index += 1
        var entries: [String: OpenStepPropertyList.Entry] = [:]
        while let byte = next() {
            if byte == UInt8(ascii: "}") {
                index += 1
                return .dictionary(entries)
            }
            let start = line
            guard let key = word(), next() == UInt8(ascii: "=") else { return nil }
            index += 1
            guard let value = value(depth: depth + 1), next() == UInt8(ascii: ";") else { return nil }
            index += 1
            entries[key] = .init(value: value, line: start)
        }
        return nil
    }

    private mutating func array(_ depth: Int) -> OpenStepPropertyList? {
        index += 1
        var values: [OpenStepPropertyList] = []
        while let byte = next() {
            if byte == UInt8(ascii: ")") {
                index += 1
                return .array(values)
            }
            guard let value = value(depth: depth + 1) else { return nil }
            values.append(value)
            if next() == UInt8(ascii: ",") { index += 1 }
        }
        return nil
    }

    /// The next byte outside whitespace and comments; the index stays on it.
    private mutating func next() -> UInt8? {
        while index < bytes.count {
            switch bytes[index] {
            case 10:
                line += 1
                index += 1
            case 9, 13, 32: index += 1
            case UInt8(ascii: "/") where index + 1 < bytes.count && bytes[index + 1] == UInt8(ascii: "/"):
                while index < bytes.count, bytes[index] != 10 { index += 1 }
            case UInt8(ascii: "/") where index + 1 < bytes.count && bytes[index + 1] == UInt8(ascii: "*"):
                index += 2
                while index + 1 < bytes.count,
                    bytes[index] != UInt8(ascii: "*") || bytes[index + 1] != UInt8(ascii: "/")
                {
                    if bytes[index] == 10 { line += 1 }
                    index += 1
                }
                index += 2
            default: return bytes[index]
            }
        }
        return nil
    }

    private mutating func word() -> String? {
        guard let first = next() else { return nil }
        if first == UInt8(ascii: "\"") || first == UInt8(ascii: "'") { return quoted(first) }
        let start = index
        while index < bytes.count, Self.isPlain(bytes[index]) { index += 1 }
        return index > start ? String(decoding: bytes[start..<index], as: UTF8.self) : nil
    }

    private mutating func quoted(_ quote: UInt8) -> String? {
        index += 1
        var text: [UInt8] = []
        while index < bytes.count {
            let byte = bytes[index]
            index += 1
            if byte == quote { return String(decoding: text, as: UTF8.self) }
            if byte == 10 { line += 1 }
            guard byte == UInt8(ascii: "\\"), index < bytes.count else {
                text.append(byte)
                continue
            }
            let escaped = bytes[index]
            index += 1
            text.append(escaped == UInt8(ascii: "n") ? 10 : escaped == UInt8(ascii: "t") ? 9 : escaped)
        }
        return nil
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "."), UInt8(ascii: "/"),
            UInt8(ascii: "-"), UInt8(ascii: "$"), UInt8(ascii: ":"), UInt8(ascii: "+"):
            true
        default: byte >= 0x80
        }
    }
}
