// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// What is looked at of a property list before it is parsed.
enum PropertyListShape {
    /// How deep the members of a list may be nested: those of trust settings are four levels deep.
    private static let mostLevels = 32

    /// The longest tag; the declaration of the document's type is longer.
    private static let longestTag = 256

    /// Whether bytes are XML in UTF-8 as property lists are written, with few enough levels: the parser takes stack for
    /// each, and a binary list may contain itself; an integer in other bytes ends the process.
    ///
    /// Refused are comments, sections of other kinds, and attributes but the version of the list: they can hold what
    /// looks like the end of an element.
    static func isFlat(_ data: Data) -> Bool {
        guard String(validating: data, as: UTF8.self) != nil else { return false }
        var rest = data[...]
        var level = 0
        var tags = 0
        while let start = rest.firstIndex(of: UInt8(ascii: "<")) {
            // Before the first tag there is nothing but a mark of the byte order, and blanks.
            let blanks: [UInt8] = [0xEF, 0xBB, 0xBF, 0x20, 0x09, 0x0A, 0x0D]
            guard tags > 0 || rest[..<start].allSatisfy(blanks.contains) else { return false }
            let tag = rest[(start + 1)...].prefix(longestTag).prefix { $0 != UInt8(ascii: ">") }
            guard !tag.contains(UInt8(ascii: "<")), !tag.contains(UInt8(ascii: "[")), let first = tag.first,
                tag.endIndex < rest.endIndex, rest[tag.endIndex] == UInt8(ascii: ">")
            else {
                return false
            }
            switch first {
            case UInt8(ascii: "?"): break
            case UInt8(ascii: "!"): guard tag.starts(with: Array("!DOCTYPE".utf8)) else { return false }
            case UInt8(ascii: "/"): level -= 1
            default:
                let hasAttribute = tag.contains { [UInt8(ascii: "\""), UInt8(ascii: "'")].contains($0) }
                guard !hasAttribute || Array(tag) == Array("plist version=\"1.0\"".utf8) else { return false }
                // An element without contents ends itself.
                if tag.last != UInt8(ascii: "/") { level += 1 }
            }
            guard (0...mostLevels).contains(level) else { return false }
            rest = rest[tag.endIndex...]
            tags += 1
        }
        return tags > 0
    }
}
