// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// The attributes of an item, as macOS prints them.
enum AttributeBlock {
    /// The keychain, the class, and a line for each attribute that the class has in a file keychain.
    static func text(_ item: StoredItem) -> ByteText {
        AttributeLine.lines(of: item.itemClass).reduce(head(item)) { text, line in
            text + "    \(line.tag)<\(line.format.rawValue)>=\(value(of: line, item))\n"
        }
    }

    /// The lines before the attributes.
    static func head(_ item: StoredItem) -> ByteText {
        """
        keychain: \(ValueFormat.quoted(item.store.path.bytes))
        version: \(item.store.version)
        class: \(ValueFormat.quoted(classCode(item)))
        attributes:

        """
    }

    /// The bytes of a value; `nil` if a file keychain could not hold it.
    static func bytes(_ value: PropertyValue?) -> [UInt8]? {
        switch value {
        case .string(let text)?, .uuid(let text)?: Array(text.utf8)
        case .data(let data)?: data.unprotectedCopy
        case .number(let number)?: bytes(number)
        case .boolean(let flag)?: UInt32(flag ? 1 : 0).bigEndianBytes
        case .date(let date)?: DateText.bytes(date)
        case .null?, .array?, .accessControl?, .authenticationContext?, .reference?, .policy?, .keychain?, .access?,
            .nested?, .oversizedData?, .object?, nil:
            nil
        }
    }

    private static func value(of line: AttributeLine, _ item: StoredItem) -> ByteText {
        if line.isClassCode { return ValueFormat.quoted(classCode(item)) }
        var bytes = bytes(item[line.attribute])
        // Keys have both dates in any case; the reference date represents none.
        if line.format == .blob, item[line.attribute] == .date(.referenceDate) { bytes = nil }
        if let bytes, !bytes.isEmpty { return ValueFormat.quoted(bytes) }
        return line.isNeverAbsent ? ValueFormat.quoted(0) : "<NULL>"
    }

    /// Four bytes, or eight for a number that needs them.
    private static func bytes(_ number: KeychainNumber) -> [UInt8] {
        switch number {
        case .integer(let value):
            if let short = UInt32(exactly: value) { return short.bigEndianBytes }
            return Int32(exactly: value)?.bigEndianBytes ?? value.bigEndianBytes
        case .unsigned(let value): return value.bigEndianBytes
        case .real(let value):
            return Int64(exactly: value).map { bytes(.integer($0)) } ?? value.bitPattern.bigEndianBytes
        }
    }

    /// The class code used by file keychains.
    private static func classCode(_ item: StoredItem) -> UInt32 {
        switch item.itemClass {
        case .certificate: 0x8000_1000
        case .key: keyClassCode(KeyKind(item))
        case .genericPassword, .internetPassword, .identity: code(item.itemClass.rawValue)
        }
    }

    private static func keyClassCode(_ kind: KeyKind) -> UInt32 {
        switch kind {
        case .public: 0x0F
        case .private: 0x10
        case .symmetric: 0x11
        }
    }

    private static func code(_ name: String) -> UInt32 { name.utf8.reduce(0) { $0 << 8 | UInt32($1) } }
}
