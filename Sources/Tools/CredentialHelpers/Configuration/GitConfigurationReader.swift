// SPDX-License-Identifier: Apache-2.0

/// Reads a configuration of git's as git does (git-config(1), "Syntax"), to find out whether git would.
struct GitConfigurationReader {
    private var rest: Substring.UTF8View
    private var line = 1

    private static let newline = UInt8(ascii: "\n")
    private static let backslash = UInt8(ascii: "\\")
    private static let quote = UInt8(ascii: "\"")

    /// The number of the first line that git would refuse, or that goes on where the text ends: whatever is added would
    /// be a part of it.
    static func lineThatIsNone(in text: String) -> Int? {
        let mark = "\u{FEFF}".utf8
        var reader = GitConfigurationReader(rest: text.utf8.dropFirst(text.utf8.starts(with: mark) ? mark.count : 0))
        while !reader.rest.isEmpty {
            let line = reader.line
            guard reader.readPart() else { return line }
        }
        return nil
    }

    private init(rest: Substring.UTF8View.SubSequence) { self.rest = rest }

    /// The next byte, a newline with a carriage return as one; a newline at the end as well.
    private mutating func next() -> UInt8 {
        guard var byte = rest.popFirst() else { return Self.newline }
        if byte == 0x0D, rest.first == Self.newline { byte = rest.removeFirst() }
        if byte == Self.newline { line += 1 }
        return byte
    }

    /// Reads blanks, a comment, the name of a section, or a value; `false` for anything else.
    private mutating func readPart() -> Bool {
        let byte = next()
        switch byte {
        case _ where Self.isBlank(byte): return true
        case UInt8(ascii: "#"), UInt8(ascii: ";"):
            while next() != Self.newline {}
            return true
        case UInt8(ascii: "["): return readSection()
        case _ where Self.isLetter(byte): return readValue()
        default: return false
        }
    }

    private mutating func readSection() -> Bool {
        while true {
            let byte = next()
            if byte == UInt8(ascii: "]") { return true }
            if Self.isBlank(byte) { return byte != Self.newline && readSubsection() }
            guard Self.isOfName(byte) || byte == UInt8(ascii: ".") else { return false }
        }
    }

    private mutating func readSubsection() -> Bool {
        var byte = next()
        while byte != Self.newline, Self.isBlank(byte) { byte = next() }
        guard byte == Self.quote else { return false }
        while true {
            byte = next()
            if byte == Self.quote { return next() == UInt8(ascii: "]") }
            if byte == Self.backslash { byte = next() }
            if byte == Self.newline { return false }
        }
    }

    private mutating func readValue() -> Bool {
        var byte = next()
        while Self.isOfName(byte) { byte = next() }
        while byte == 0x20 || byte == 0x09 { byte = next() }
        // A name alone is a value, too.
        if byte == Self.newline { return true }
        guard byte == UInt8(ascii: "=") else { return false }
        var isQuoted = false
        while true {
            byte = next()
            switch byte {
            case Self.newline: return !isQuoted
            case UInt8(ascii: "#") where !isQuoted, UInt8(ascii: ";") where !isQuoted:
                while next() != Self.newline {}
                return true
            case Self.quote: isQuoted.toggle()
            case Self.backslash:
                guard "\n\\\"tnb".utf8.contains(next()) else { return false }
                if rest.isEmpty { return false }
            default: break
            }
        }
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }

    private static func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte | 0x20) }

    private static func isOfName(_ byte: UInt8) -> Bool {
        isLetter(byte) || (0x30...0x39).contains(byte) || byte == UInt8(ascii: "-")
    }
}
