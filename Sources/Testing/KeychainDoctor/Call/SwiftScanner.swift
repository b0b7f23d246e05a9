// SPDX-License-Identifier: Apache-2.0

/// Reads Swift code by its outermost structure: blanks, comments, strings, brackets, words.
struct SwiftScanner {
    let text: [UInt8]
    var position = 0

    /// How many conditional blocks (`#if`) are open.
    private(set) var conditionDepth = 0

    private var interpolationDepth = 0

    private static let deepestNesting = 32

    init(_ text: String) { self.text = Array(text.utf8) }

    var peek: UInt8? { position < text.count ? text[position] : nil }

    var isAtEnd: Bool { position >= text.count }

    func isNext(_ part: String) -> Bool { text[position...].starts(with: part.utf8) }

    func defect(_ reason: String) -> SwiftDictionaryParser.Defect {
        .init(line: text[..<min(position, text.count)].count { $0 == 0x0A } + 1, reason: reason)
    }

    /// Passes over white space, comments, and the lines of conditional compilation.
    mutating func skipBlanks(acrossLines: Bool = true) {
        while let byte = peek {
            if byte == 0x0A, !acrossLines { return }
            if [0x20, 0x09, 0x0A, 0x0D].contains(byte) {
                position += 1
            } else if isNext("//") {
                skipLine()
            } else if isNext("/*") {
                skipComment()
            } else if let directive = ["#if", "#elseif", "#else", "#endif"].last(where: isNext) {
                conditionDepth += directive == "#if" ? 1 : directive == "#endif" ? -1 : 0
                skipLine()
            } else {
                return
            }
        }
    }

    mutating func skipLine() { while let byte = peek, byte != 0x0A { position += 1 } }

    /// Comments nest.
    mutating func skipComment() {
        var depth = 0
        repeat {
            if isNext("/*") {
                depth += 1
                position += 2
            } else if isNext("*/") {
                depth -= 1
                position += 2
            } else {
                position += 1
            }
        } while depth > 0 && !isAtEnd
    }

    /// Scans a word of letters, digits and underscores; `nil` if none begins here.
    mutating func word() -> String? {
        let start = position
        while let byte = peek, Self.isOfWord(byte) { position += 1 }
        return position > start ? String(decoding: text[start..<position], as: UTF8.self) : nil
    }

    static func isOfWord(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), 0x80...0xFF:
            true
        default: false
        }
    }

    // MARK: - Strings

    var isAtString: Bool {
        var index = position
        while index < text.count, text[index] == UInt8(ascii: "#") { index += 1 }
        return index < text.count && text[index] == UInt8(ascii: "\"")
    }

    /// Scans a string literal: plain, raw, or multi-line.
    mutating func string() throws(SwiftDictionaryParser.Defect) -> [UInt8] {
        let start = position
        while peek == UInt8(ascii: "#") { position += 1 }
        let hashes = String(repeating: "#", count: position - start)
        let isMultiline = isNext("\"\"\"")
        let end = (isMultiline ? "\"\"\"" : "\"") + hashes
        let escape = "\\" + hashes
        position += isMultiline ? 3 : 1
        while let byte = peek {
            if isNext(escape) {
                position += escape.utf8.count
                if peek == UInt8(ascii: "(") {
                    position += 1
                    interpolationDepth += 1
                    guard interpolationDepth <= Self.deepestNesting else {
                        throw defect("brackets are nested too deep")
                    }
                    defer { interpolationDepth -= 1 }
                    _ = try expression(until: [UInt8(ascii: ")")])
                }
                position += 1
            } else if isNext(end) {
                position += end.utf8.count
                return Array(text[start..<position])
            } else if byte == 0x0A, !isMultiline {
                break
            } else {
                position += 1
            }
        }
        position = min(position, text.count)
        throw defect("a string is not closed")
    }

    // MARK: - Expressions

    private static let opening = Set("([{".utf8)
    private static let closing = Set(")]}".utf8)

    /// The text of an expression, up to one of the bytes outside brackets and strings, with whitespace and comments
    /// trimmed at both ends.
    mutating func expression(until ends: Set<UInt8>) throws(SwiftDictionaryParser.Defect) -> String {
        guard let text = try expression(endingAt: ends, isStatement: false) else {
            throw defect("the literal is not complete: its closing bracket is missing")
        }
        return text
    }

    /// The text of an expression up to the end of its statement.
    mutating func statement() throws(SwiftDictionaryParser.Defect) -> String {
        skipBlanks()
        return try expression(endingAt: Set(";}".utf8), isStatement: true) ?? ""
    }

    /// Whether the rest is one expression in which every bracket has its other half.
    func isBalanced() -> Bool {
        var rest = self
        return (try? rest.expression(endingAt: [], isStatement: true)) != nil && rest.isAtEnd
    }

    private mutating func expression(
        endingAt ends: Set<UInt8>,
        isStatement: Bool
    ) throws(SwiftDictionaryParser.Defect) -> String? {
        var bytes: [UInt8] = []
        var depth = 0
        while let byte = peek {
            if depth == 0, ends.contains(byte) { return Self.trimmed(bytes) }
            if isAtString {
                bytes += try string()
                continue
            }
            let before = position
            skipBlanks(acrossLines: !isStatement || depth > 0)
            if position > before {
                bytes.append(UInt8(ascii: " "))
                continue
            }
            if byte == 0x0A {
                guard continuesOnNextLine() else { return Self.trimmed(bytes) }
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
        return isStatement ? Self.trimmed(bytes) : nil
    }

    /// Skips the end of a line if the next line continues the expression.
    private mutating func continuesOnNextLine() -> Bool {
        var next = self
        next.skipBlanks()
        guard let byte = next.peek, Set(".+-*/?:&|".utf8).contains(byte) || next.isNext("as ") else { return false }
        self = next
        return true
    }

    private static func trimmed(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self).trimmingBlanks }
}

extension String {
    var trimmingBlanks: String {
        var rest = self[...]
        while rest.first?.isWhitespace ?? false { rest.removeFirst() }
        while rest.last?.isWhitespace ?? false { rest.removeLast() }
        return String(rest)
    }
}
