// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// The tags of a property list in XML, and the combining marks in its texts.
struct XMLPropertyListShape {
    private var rest: ArraySlice<UInt8>
    private var level = 0
    private var tags = 0

    /// The longest tag; the declaration of the document's type is longer than others.
    private static let longestTag = 256

    private init(_ bytes: [UInt8]) { rest = bytes[...] }

    /// Whether bytes are XML in UTF-8 in the form of property lists, within the limit of nesting.
    ///
    /// It refuses sections other than comments, a second declaration, encodings other than UTF-8, and attributes other
    /// than the version of the list, because they can contain text that looks like the end of an element.
    static func isHarmless(_ bytes: [UInt8]) -> Bool {
        guard !bytes.contains(0), let text = String(validating: bytes, as: UTF8.self), !hasTooManyMarks(text) else {
            return false
        }
        var shape = XMLPropertyListShape(bytes)
        while let start = shape.rest.firstIndex(of: UInt8(ascii: "<")) {
            guard shape.parseTag(at: start) else { return false }
            shape.tags += 1
        }
        return shape.tags > 0
    }

    /// Parses a tag or a comment; `false` for one that a property list does not have at this position.
    private mutating func parseTag(at start: Int) -> Bool {
        // Only a byte order mark and blanks may precede the first tag.
        let blanks: [UInt8] = [0xEF, 0xBB, 0xBF, 0x20, 0x09, 0x0A, 0x0D]
        guard tags > 0 || rest[..<start].allSatisfy(blanks.contains) else { return false }
        rest = rest[(start + 1)...]
        if rest.starts(with: "!--".utf8) { return parseComment() }
        let tag = rest.prefix(Self.longestTag).prefix { $0 != UInt8(ascii: ">") }
        guard !tag.contains(UInt8(ascii: "<")), !tag.contains(UInt8(ascii: "[")), let first = tag.first,
            tag.endIndex < rest.endIndex, rest[tag.endIndex] == UInt8(ascii: ">")
        else { return false }
        rest = rest[tag.endIndex...]
        switch first {
        case UInt8(ascii: "?"): return tags == 0 && Self.isDeclaration(tag)
        case UInt8(ascii: "!"): return level == 0 && tag.starts(with: "!DOCTYPE".utf8)
        case UInt8(ascii: "/"): level -= 1
        default:
            let hasAttribute = tag.contains { [UInt8(ascii: "\""), UInt8(ascii: "'")].contains($0) }
            guard !hasAttribute || tag.elementsEqual("plist version=\"1.0\"".utf8) else { return false }
            // An empty-element tag also counts as a level.
            guard level < PropertyListShape.maximumLevels else { return false }
            if tag.last != UInt8(ascii: "/") { level += 1 }
        }
        return (0...PropertyListShape.maximumLevels).contains(level)
    }

    private mutating func parseComment() -> Bool {
        rest = rest.dropFirst(3)
        guard let end = rest.indices.first(where: { rest[$0...].starts(with: "-->".utf8) }) else { return false }
        rest = rest[(end + 3)...]
        return true
    }

    /// Whether a tag is the XML declaration, with the encoding that was checked.
    private static func isDeclaration(_ tag: ArraySlice<UInt8>) -> Bool {
        let text = String(decoding: tag, as: UTF8.self).lowercased()
        guard text.hasPrefix("?xml "), text.hasSuffix("?") else { return false }
        let parts = text.split(separator: "encoding", omittingEmptySubsequences: false)
        return parts.count == 1
            || parts.count == 2 && (parts[1].hasPrefix("=\"utf-8\"") || parts[1].hasPrefix("='utf-8'"))
    }

    // MARK: - Marks

    /// Whether an element has too many consecutive marks; comments between them are ignored, and a character reference
    /// counts as the character.
    private static func hasTooManyMarks(_ text: String) -> Bool {
        guard text.utf8.contains(where: { $0 >= 0xCC || $0 == UInt8(ascii: "&") }) else { return false }
        var counter = CombiningMarks.Counter()
        var rest = text.unicodeScalars[...]
        while let scalar = rest.popFirst(), !counter.areTooMany {
            if scalar == "<", rest.starts(with: "!--".unicodeScalars) {
                skipComment(&rest)
            } else if scalar == "&", rest.first == "#" {
                counter.countCharacter(isMark: parseReference(&rest))
            } else {
                counter.countCharacter(isMark: scalar.isCombiningMark)
            }
        }
        return counter.areTooMany
    }

    private static func skipComment(_ rest: inout Substring.UnicodeScalarView) {
        rest = rest.dropFirst(3)
        while !rest.isEmpty, !rest.starts(with: "-->".unicodeScalars) { rest = rest.dropFirst() }
        rest = rest.dropFirst(3)
    }

    /// Parses a numeric character reference, and returns whether it may be one to a mark.
    ///
    /// A parser may combine the surrogates of a character, and may keep only the last 16 bits of a number.
    private static func parseReference(_ rest: inout Substring.UnicodeScalarView) -> Bool {
        rest = rest.dropFirst()
        let isHexadecimal = rest.first == "x" || rest.first == "X"
        if isHexadecimal { rest = rest.dropFirst() }
        var number: UInt32 = 0
        while let digit = rest.first.flatMap({ Character($0).hexDigitValue }), isHexadecimal || digit < 10 {
            number = number &* (isHexadecimal ? 16 : 10) &+ UInt32(digit)
            rest = rest.dropFirst()
        }
        if rest.first == ";" { rest = rest.dropFirst() }
        return [number, number & 0xFFFF].contains { number in
            // A surrogate is not a character.
            Unicode.Scalar(number)?.isCombiningMark ?? (number < 0x1_0000)
        }
    }
}
