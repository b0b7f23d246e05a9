// SPDX-License-Identifier: Apache-2.0

/// Parses JSON (RFC 8259) from untrusted sources, without Foundation.
///
/// It is strict: UTF-8 only, no duplicate names in an object, nesting no deeper than ``deepestNesting``, and no more
/// consecutive combining marks than ``CombiningMarks/maximumConsecutive``.
package struct JSONParser {
    /// The maximum nesting depth of arrays and objects.
    package static let deepestNesting = 32

    /// The reason why a text is refused, and its position.
    package struct SyntaxError: Error, Hashable, CustomStringConvertible {
        /// What was expected, or what is not allowed.
        package let reason: String
        /// The number of bytes before the place.
        package let offset: Int

        /// One sentence without its end.
        package var description: String { "\(reason) at byte \(offset)" }
    }

    private let bytes: [UInt8]
    private let limitsMarks: Bool
    private var position = 0

    private init(_ bytes: [UInt8], limitsMarks: Bool) {
        self.bytes = bytes
        self.limitsMarks = limitsMarks
    }

    /// Parses a text that is one value.
    ///
    /// - Parameters:
    ///   - bytes: the text.
    ///   - limitsMarks: whether to limit consecutive combining marks in strings; in names, they are always limited.
    /// - Returns: The value.
    /// - Throws: ``SyntaxError`` for anything else.
    package static func parse(
        _ bytes: some Sequence<UInt8>,
        limitsMarks: Bool = true
    ) throws(SyntaxError) -> JSONValue {
        var parser = JSONParser(Array(bytes), limitsMarks: limitsMarks)
        let value = try parser.value(depth: 0)
        parser.skipBlanks()
        guard parser.position == parser.bytes.count else { throw parser.failure("something follows the value") }
        return value
    }

    private func failure(_ reason: String) -> SyntaxError { SyntaxError(reason: reason, offset: position) }

    private var next: UInt8? { position < bytes.count ? bytes[position] : nil }

    private mutating func skipBlanks() {
        while let byte = next, [0x20, 0x09, 0x0A, 0x0D].contains(byte) { position += 1 }
    }

    private mutating func parseCharacter(_ character: Unicode.Scalar) -> Bool {
        guard next == UInt8(ascii: character) else { return false }
        position += 1
        return true
    }

    private mutating func value(depth: Int) throws(SyntaxError) -> JSONValue {
        skipBlanks()
        guard depth <= Self.deepestNesting else { throw failure("the nesting is too deep") }
        switch next {
        case UInt8(ascii: "{"): return try object(depth: depth)
        case UInt8(ascii: "["): return try array(depth: depth)
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "t"): return try word("true", .boolean(true))
        case UInt8(ascii: "f"): return try word("false", .boolean(false))
        case UInt8(ascii: "n"): return try word("null", .null)
        default: return try number()
        }
    }

    private mutating func word(_ word: String, _ value: JSONValue) throws(SyntaxError) -> JSONValue {
        guard bytes[position...].starts(with: word.utf8) else { throw failure("a value is expected") }
        position += word.utf8.count
        return value
    }

    private mutating func object(depth: Int) throws(SyntaxError) -> JSONValue {
        position += 1
        var members: [String: JSONValue] = [:]
        skipBlanks()
        if parseCharacter("}") { return .object(members) }
        repeat {
            skipBlanks()
            guard next == UInt8(ascii: "\"") else { throw failure("a name is expected") }
            let name = try string()
            guard !name.hasTooManyMarks else { throw failure("too many combining marks follow each other") }
            skipBlanks()
            guard parseCharacter(":") else { throw failure("a colon is expected") }
            let value = try value(depth: depth + 1)
            guard members.updateValue(value, forKey: name) == nil else { throw failure("a name is there twice") }
            skipBlanks()
        } while parseCharacter(",")
        guard parseCharacter("}") else { throw failure("the end of the object is expected") }
        return .object(members)
    }

    private mutating func array(depth: Int) throws(SyntaxError) -> JSONValue {
        position += 1
        var elements: [JSONValue] = []
        skipBlanks()
        if parseCharacter("]") { return .array(elements) }
        repeat {
            elements.append(try value(depth: depth + 1))
            skipBlanks()
        } while parseCharacter(",")
        guard parseCharacter("]") else { throw failure("the end of the array is expected") }
        return .array(elements)
    }

    private mutating func digits() throws(SyntaxError) {
        let start = position
        while let byte = next, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) { position += 1 }
        guard position > start else { throw failure("a value is expected") }
    }

    private mutating func number() throws(SyntaxError) -> JSONValue {
        let start = position
        _ = parseCharacter("-")
        if !parseCharacter("0") { try digits() }
        var isWhole = true
        if parseCharacter(".") {
            isWhole = false
            try digits()
        }
        if parseCharacter("e") || parseCharacter("E") {
            isWhole = false
            if !parseCharacter("+") { _ = parseCharacter("-") }
            try digits()
        }
        let text = String(decoding: bytes[start..<position], as: UTF8.self)
        if isWhole, let number = Int(text) { return .integer(number) }
        guard let number = Double(text), number.isFinite else { throw failure("the number is too large") }
        return Int(exactly: number).map { .integer($0) } ?? .real(number)
    }
}

// MARK: - Strings

extension JSONParser {
    private mutating func string() throws(SyntaxError) -> String {
        position += 1
        var contents: [UInt8] = []
        while let byte = next {
            switch byte {
            case UInt8(ascii: "\""):
                position += 1
                guard let text = String(validating: contents, as: UTF8.self) else {
                    throw failure("a string is not UTF-8")
                }
                guard !limitsMarks || !text.hasTooManyMarks else {
                    throw failure("too many combining marks follow each other")
                }
                return text
            case UInt8(ascii: "\\"): contents += try escape()
            case 0..<0x20: throw failure("a control character must be escaped")
            default:
                contents.append(byte)
                position += 1
            }
        }
        throw failure("the end of the string is expected")
    }

    private mutating func escape() throws(SyntaxError) -> [UInt8] {
        position += 1
        let plain: [(Unicode.Scalar, UInt8)] = [
            ("\"", 0x22), ("\\", 0x5C), ("/", 0x2F), ("b", 0x08), ("f", 0x0C), ("n", 0x0A), ("r", 0x0D), ("t", 0x09),
        ]
        for (letter, byte) in plain where parseCharacter(letter) { return [byte] }
        guard parseCharacter("u") else { throw failure("this escape does not exist") }
        var code = try fourDigits()
        if (0xD800..<0xDC00).contains(code) {
            guard parseCharacter("\\"), parseCharacter("u") else {
                throw failure("half of a surrogate pair is missing")
            }
            let low = try fourDigits()
            guard (0xDC00..<0xE000).contains(low) else { throw failure("half of a surrogate pair is missing") }
            code = 0x10000 + (code - 0xD800) << 10 + (low - 0xDC00)
        }
        guard let scalar = Unicode.Scalar(code) else { throw failure("half of a surrogate pair is missing") }
        return Array(String(Character(scalar)).utf8)
    }

    private mutating func fourDigits() throws(SyntaxError) -> UInt32 {
        guard position + 4 <= bytes.count else { throw failure("four hexadecimal digits are expected") }
        var code: UInt32 = 0
        for byte in bytes[position..<position + 4] {
            guard let digit = Character(Unicode.Scalar(byte)).hexDigitValue else {
                throw failure("four hexadecimal digits are expected")
            }
            code = code << 4 | UInt32(digit)
        }
        position += 4
        return code
    }
}
