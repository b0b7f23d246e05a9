// SPDX-License-Identifier: Apache-2.0

/// Reads the lines of a file in TOML 1.0, to find out whether they can be told apart without more: tables, settings,
/// and arrays over several lines.
///
/// Refused is also what would be valid: texts of several lines, names with escapes, and an array on a line of its own
/// in another one, which looks like a table.
struct TOMLReader {
    private var rest: Substring.UTF8View

    /// The brackets that are open.
    private var open: [UInt8] = []

    /// The number of the first line that is not understood.
    static func lineThatIsNone(in text: String) -> Int? {
        var reader = TOMLReader(rest: text[...].utf8)
        let lines = ConfigurationBlock.split(text)
        for (index, line) in lines.enumerated() {
            var line = line[...].utf8
            if line.last == 0x0D { line.removeLast() }
            reader.rest = line
            guard reader.readLine() else { return index + 1 }
        }
        return reader.open.isEmpty ? nil : lines.count
    }

    private init(rest: Substring.UTF8View) { self.rest = rest }

    private mutating func readLine() -> Bool {
        skipBlanks()
        guard open.isEmpty else { return rest.first != UInt8(ascii: "[") && readValue() }
        switch rest.first {
        case nil, UInt8(ascii: "#"): return true
        case UInt8(ascii: "["): return readTable()
        default: return readName() && take("=") && readFirstValue()
        }
    }

    private mutating func readTable() -> Bool {
        _ = take("[")
        let isArray = take("[")
        guard readName(), take("]"), !isArray || take("]") else { return false }
        return isAtEnd
    }

    /// A name of bare and quoted words with dots between them.
    private mutating func readName() -> Bool {
        repeat {
            skipBlanks()
            if let quote = rest.first, quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") {
                guard let end = rest.dropFirst().firstIndex(of: quote) else { return false }
                guard !rest[..<end].contains(UInt8(ascii: "\\")) else { return false }
                rest = rest[rest.index(after: end)...]
            } else {
                let word = rest.prefix(while: Self.isOfWord)
                guard !word.isEmpty else { return false }
                rest = rest[word.endIndex...]
            }
            skipBlanks()
        } while take(".")
        return true
    }

    private mutating func readFirstValue() -> Bool {
        skipBlanks()
        return !isAtEnd && readValue()
    }

    /// The rest of a line in values, to its end.
    private mutating func readValue() -> Bool {
        while let byte = rest.first {
            switch byte {
            case UInt8(ascii: "#"): rest = rest[rest.endIndex...]
            case UInt8(ascii: "\""), UInt8(ascii: "'"): if !readString(byte) { return false }
            case UInt8(ascii: "["), UInt8(ascii: "{"):
                open.append(byte)
                rest.removeFirst()
            case UInt8(ascii: "]"), UInt8(ascii: "}"):
                // In ASCII, the two of a pair are two apart.
                guard open.popLast() == byte - 2 else { return false }
                rest.removeFirst()
            case UInt8(ascii: ","), UInt8(ascii: "="):
                guard !open.isEmpty else { return false }
                rest.removeFirst()
            case 0x20, 0x09: rest.removeFirst()
            default:
                let word = rest.prefix { Self.isOfWord($0) || [0x2B, 0x2E, 0x3A].contains($0) }
                guard !word.isEmpty else { return false }
                rest = rest[word.endIndex...]
            }
        }
        // A table in braces is on one line.
        return open.last != UInt8(ascii: "{")
    }

    private mutating func readString(_ quote: UInt8) -> Bool {
        rest.removeFirst()
        while let byte = rest.popFirst() {
            if byte == quote { return true }
            if byte == UInt8(ascii: "\\"), quote == UInt8(ascii: "\"") { _ = rest.popFirst() }
        }
        return false
    }

    private mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard rest.first == UInt8(ascii: character) else { return false }
        rest.removeFirst()
        return true
    }

    private mutating func skipBlanks() { rest = rest.drop { $0 == 0x20 || $0 == 0x09 } }

    /// Whether a comment follows, or nothing.
    private var isAtEnd: Bool {
        let first = rest.first { $0 != 0x20 && $0 != 0x09 }
        return first == nil || first == UInt8(ascii: "#")
    }

    private static func isOfWord(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte | 0x20) || byte == 0x2D || byte == 0x5F
    }
}
