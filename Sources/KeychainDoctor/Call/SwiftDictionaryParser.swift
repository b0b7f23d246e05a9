// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// Reads a dictionary literal as somebody pastes it from Swift code: constants, strings, numbers, Booleans, casts,
/// comments.
///
/// What cannot be known from the text, such as a variable, is named and left out; the value of `kSecValueData` is not
/// needed.
package struct SwiftDictionaryParser {
    /// What was read.
    package struct Literal: Sendable {
        package var dictionary: PropertyDictionary
        /// The keys whose values the text does not tell, with the expression.
        package var unknown: [(key: String, expression: String)]
    }

    /// Why a text is no dictionary literal.
    package struct Defect: Error, Sendable, Hashable, CustomStringConvertible {
        package let line: Int
        package let reason: String
        package var description: String { "line \(line): \(reason)" }
    }

    /// A text longer than this is no query.
    package static let longestText = 1 << 20
    private static let deepestNesting = 32

    private let text: [UInt8]
    private var position = 0
    private var unknown: [(key: String, expression: String)] = []

    private init(_ text: String) { self.text = Array(text.utf8) }

    /// Reads the first dictionary literal of a text.
    package static func parse(_ text: String) throws(Defect) -> Literal {
        guard text.utf8.count <= longestText else { throw Defect(line: 1, reason: "the text is too long") }
        var parser = SwiftDictionaryParser(text)
        let dictionary = try parser.firstDictionary()
        return Literal(dictionary: dictionary, unknown: parser.unknown)
    }

    // MARK: - Entries

    private mutating func firstDictionary() throws(Defect) -> PropertyDictionary {
        // A type such as [String: Any] before the literal has no constant, no string and no comma.
        while position < text.count {
            skipBlanks()
            guard let byte = peek else { break }
            if byte == UInt8(ascii: "["), !isType(at: position) { return try dictionary() }
            if byte == UInt8(ascii: "\"") { _ = try string() } else { position += 1 }
        }
        throw defect("there is no dictionary literal")
    }

    /// Whether a bracket opens a type: `[String: Any]`, `[CFString : AnyObject]`.
    private func isType(at start: Int) -> Bool {
        guard let end = text[start...].firstIndex(of: UInt8(ascii: "]")) else { return false }
        let inside = String(decoding: text[(start + 1)..<end], as: UTF8.self)
        let parts = inside.split(separator: ":").map { $0.filter { !$0.isWhitespace } }
        return parts.count == 2 && ["String", "CFString", "NSString", "AnyHashable", "NSObject"].contains(parts[0])
    }

    private mutating func dictionary() throws(Defect) -> PropertyDictionary {
        position += 1
        var result: PropertyDictionary = [:]
        while true {
            skipBlanks()
            guard let byte = peek else { throw defect("the literal is not complete: its closing bracket is missing") }
            if byte == UInt8(ascii: "]") {
                position += 1
                return result
            }
            if byte == UInt8(ascii: ",") || byte == UInt8(ascii: ":") && result.entries.isEmpty {
                position += 1
                continue
            }
            let keyText = try expression(until: [UInt8(ascii: ":")])
            guard peek == UInt8(ascii: ":") else { throw defect("a key without a value") }
            position += 1
            let valueText = try expression(until: [UInt8(ascii: ","), UInt8(ascii: "]")])
            guard let key = Self.key(keyText) else {
                throw defect("'\(Self.shortened(keyText))' is no key that can be read")
            }
            if let value = Self.value(valueText, for: key) {
                result[key] = value
            } else {
                unknown.append((key, Self.shortened(valueText)))
            }
        }
    }

    /// The text of an expression, up to one of the bytes outside of brackets and strings; blanks and comments are left
    /// out of its ends.
    private mutating func expression(until ends: Set<UInt8>) throws(Defect) -> String {
        var bytes: [UInt8] = []
        var depth = 0
        while let byte = peek {
            if depth == 0, ends.contains(byte) { return Self.trimmed(bytes) }
            if byte == UInt8(ascii: "\"") {
                bytes += try string()
                continue
            }
            let before = position
            skipBlanks()
            if position > before {
                bytes.append(UInt8(ascii: " "))
                continue
            }
            if Self.opening.contains(byte) { depth += 1 }
            if Self.closing.contains(byte) { depth -= 1 }
            guard depth >= 0 else { throw defect("brackets do not match") }
            guard depth <= Self.deepestNesting else { throw defect("brackets are nested too deep") }
            bytes.append(byte)
            position += 1
        }
        throw defect("the literal is not complete: its closing bracket is missing")
    }

    private static let opening = Set("([{".utf8)
    private static let closing = Set(")]}".utf8)

    /// A string with its quotes and escapes, as it stands.
    private mutating func string() throws(Defect) -> [UInt8] {
        let start = position
        position += 1
        while let byte = peek {
            position += byte == UInt8(ascii: "\\") ? 2 : 1
            if byte == UInt8(ascii: "\"") { return Array(text[start..<min(position, text.count)]) }
            if byte == UInt8(ascii: "\n") { break }
        }
        throw defect("a string is not closed")
    }

    private var peek: UInt8? { position < text.count ? text[position] : nil }

    /// Passes over white space and comments.
    private mutating func skipBlanks() {
        while let byte = peek {
            let next = position + 1 < text.count ? text[position + 1] : 0
            if [0x20, 0x09, 0x0A, 0x0D].contains(byte) {
                position += 1
            } else if byte == UInt8(ascii: "/"), next == UInt8(ascii: "/") {
                while position < text.count, text[position] != 0x0A { position += 1 }
            } else if byte == UInt8(ascii: "/"), next == UInt8(ascii: "*") {
                position += 2
                while position < text.count, !isCommentEnd { position += 1 }
                position = min(position + 2, text.count)
            } else {
                return
            }
        }
    }

    private var isCommentEnd: Bool {
        text[position] == UInt8(ascii: "*") && position + 1 < text.count && text[position + 1] == UInt8(ascii: "/")
    }

    private func defect(_ reason: String) -> Defect {
        Defect(line: text[..<min(position, text.count)].count { $0 == 0x0A } + 1, reason: reason)
    }

    private static func trimmed(_ bytes: [UInt8]) -> String {
        let blanks: Set<UInt8> = [0x20, 0x09, 0x0A, 0x0D]
        let rest = bytes.drop { blanks.contains($0) }
        let end = rest.lastIndex { !blanks.contains($0) }.map { $0 + 1 } ?? rest.startIndex
        return String(decoding: rest[rest.startIndex..<end], as: UTF8.self)
    }

    private static func shortened(_ text: String) -> String { text.count <= 60 ? text : text.prefix(59) + "\u{2026}" }
}

// MARK: - Keys and values

extension SwiftDictionaryParser {
    /// The key that an expression stands for.
    fileprivate static func key(_ expression: String) -> String? {
        let bare = withoutCasts(expression)
        return literal(bare) ?? ConstantTable.value(named: bare)
    }

    /// The value of an expression; `nil` for what the text does not tell.
    fileprivate static func value(_ expression: String, for key: String) -> PropertyValue? {
        // Never taken over, whatever it is: no secret is needed to explain a call.
        if key == PropertyKey.valueData { return .data(SecretBytes()) }
        let bare = withoutCasts(expression)
        switch bare {
        case "true", "kCFBooleanTrue", "kCFBooleanTrue!", "NSNumber(value: true)": return .boolean(true)
        case "false", "kCFBooleanFalse", "kCFBooleanFalse!", "NSNumber(value: false)": return .boolean(false)
        case "NSNull()", "kCFNull", "kCFNull!": return .null
        default: break
        }
        if let constant = ConstantTable.value(named: bare) { return .string(constant) }
        if let text = literal(bare) { return .string(text) }
        if let text = bytes(of: bare) { return .data(SecretBytes(Array(text.utf8))) }
        let digits = bare.filter { $0 != "_" }
        if let number = Int64(digits) { return .number(.integer(number)) }
        if let number = Double(digits), digits.first?.isNumber ?? false { return .number(.real(number)) }
        return nil
    }

    /// An expression without `as Type`, `String(…)` around it, and the parentheses of either.
    private static func withoutCasts(_ expression: String) -> String {
        var text = expression
        while let range = text.lastCast, !text[range.upperBound...].contains("\"") {
            text = String(text[..<range.lowerBound]).trimmingBlanks
        }
        for prefix in ["String(", "NSString(", "("] where text.hasPrefix(prefix) && text.hasSuffix(")") {
            let inside = String(text.dropFirst(prefix.count).dropLast())
            if !inside.contains("(") { return withoutCasts(inside) }
        }
        return text
    }

    /// The text of `Data("…".utf8)` and `"…".data(using: .utf8)`.
    private static func bytes(of expression: String) -> String? {
        if expression.hasPrefix("Data("), expression.hasSuffix(".utf8)") {
            return literal(String(expression.dropFirst(5).dropLast(6)).trimmingBlanks)
        }
        for suffix in [".data(using: .utf8)!", ".data(using: .utf8)", ".data(using: String.Encoding.utf8)!"]
        where expression.hasSuffix(suffix) {
            return literal(String(expression.dropLast(suffix.count)))
        }
        return nil
    }

    /// The text of a string literal; `nil` for one with an interpolation, and for what is none.
    private static func literal(_ expression: String) -> String? {
        guard expression.count >= 2, expression.first == "\"", expression.last == "\"" else { return nil }
        var result = ""
        var rest = expression.dropFirst().dropLast()
        while let character = rest.popFirst() {
            if character == "\"" { return nil }
            guard character == "\\" else {
                result.append(character)
                continue
            }
            switch rest.popFirst() {
            case "n": result.append("\n")
            case "t": result.append("\t")
            case "r": result.append("\r")
            case "0": result.append("\0")
            case let other? where ["\"", "\\", "'"].contains(other): result.append(other)
            case "u":
                guard rest.popFirst() == "{", let end = rest.firstIndex(of: "}"),
                    let scalar = UInt32(rest[..<end], radix: 16).flatMap(Unicode.Scalar.init)
                else { return nil }
                result.unicodeScalars.append(scalar)
                rest = rest[rest.index(after: end)...]
            default: return nil
            }
        }
        return result
    }
}

extension String {
    /// Where the last ` as ` is that has no bracket behind it but those of a type.
    fileprivate var lastCast: Range<String.Index>? {
        let mark = Array(" as ")
        var index = endIndex
        while index > startIndex {
            index = self.index(before: index)
            if self[index...].starts(with: mark) { return index..<self.index(index, offsetBy: mark.count) }
        }
        return nil
    }

    fileprivate var trimmingBlanks: String {
        var rest = self[...]
        while rest.first?.isWhitespace ?? false { rest.removeFirst() }
        while rest.last?.isWhitespace ?? false { rest.removeLast() }
        return String(rest)
    }
}
