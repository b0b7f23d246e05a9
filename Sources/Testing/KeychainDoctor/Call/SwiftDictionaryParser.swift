// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// Parses a dictionary pasted from Swift code: a literal of constants, strings, numbers, Booleans, casts and comments,
/// and the subsequent assignments to its entries.
///
/// Values that the text does not show, such as those of variables, are named and omitted; the value of `kSecValueData`
/// is not needed.
package struct SwiftDictionaryParser {
    /// The parsed literal.
    package struct Literal: Sendable {
        package var dictionary: PropertyDictionary = [:]
        /// The keys whose values the text does not show.
        package var unknown: Set<String> = []
        /// The new attributes, if the text calls `SecItemUpdate` with the dictionary.
        package var attributes: PropertyDictionary?
        /// Those of the new attributes' keys whose values the text does not show.
        package var unknownAttributes: Set<String> = []
        /// The lines that change the dictionary in a way that cannot be read.
        package var unreadLines: [Int] = []
    }

    /// Why a text is not a dictionary.
    package struct Defect: Error, Sendable, Hashable, CustomStringConvertible {
        package let line: Int
        package let reason: String
        package var description: String { "line \(line): \(reason)" }
    }

    /// The maximum length of a query text.
    package static let longestText = 1 << 20

    private var scanner: SwiftScanner
    private var literal = Literal()
    /// The variable that the dictionary is assigned to.
    private var name: String?

    private init(_ scanner: SwiftScanner) { self.scanner = scanner }

    /// Reads the first dictionary literal of a text, and what is assigned to its entries.
    package static func parse(_ text: String) throws(Defect) -> Literal {
        guard text.utf8.count <= longestText else { throw Defect(line: 1, reason: "the text is too long") }
        guard !text.hasTooManyMarks else { throw Defect(line: 1, reason: KeychainError.tooManyMarks.reason) }
        var parser = SwiftDictionaryParser(SwiftScanner(text))
        let start = try parser.findLiteral()
        parser.name = parser.variable(before: start)
        let isArgument = parser.textBefore(start).hasSuffix("SecItemUpdate(")
        try parser.readLiteral()
        if isArgument { try parser.readSecondArgument() } else { try parser.readStatements() }
        return parser.literal
    }

    // MARK: - The literal

    /// Goes to the first dictionary literal; types, arrays and subscripts are passed over.
    private mutating func findLiteral() throws(Defect) -> Int {
        while true {
            scanner.skipBlanks()
            guard let byte = scanner.peek else { throw scanner.defect("there is no dictionary literal") }
            if scanner.isAtString {
                _ = try scanner.string()
            } else if byte == UInt8(ascii: "["), try isLiteral() {
                return scanner.position
            } else {
                scanner.position += 1
            }
        }
    }

    /// Whether a bracket opens a dictionary; what it opens otherwise is passed over.
    private mutating func isLiteral() throws(Defect) -> Bool {
        let start = scanner.position
        let before = start > 0 ? scanner.text[start - 1] : UInt8(ascii: " ")
        let isSubscript = SwiftScanner.isOfWord(before) || before == UInt8(ascii: ")")
        if let end = endOfType {
            if scanner.text[(end + 1)...].starts(with: "()".utf8) { return true }
            scanner.position = end
            return false
        }
        scanner.position += 1
        _ = try scanner.expression(until: Set(":,]".utf8))
        if scanner.peek == UInt8(ascii: ":"), !isSubscript {
            scanner.position = start
            return true
        }
        while scanner.peek != UInt8(ascii: "]") {
            scanner.position += 1
            _ = try scanner.expression(until: Set(",]".utf8))
        }
        return false
    }

    /// The end of a type, such as `[String: Any]`, that begins here.
    private var endOfType: Int? {
        guard scanner.peek == UInt8(ascii: "["),
            let end = scanner.text[scanner.position...].firstIndex(of: UInt8(ascii: "]"))
        else { return nil }
        let inside = String(decoding: scanner.text[(scanner.position + 1)..<end], as: UTF8.self)
        let parts = inside.split(separator: ":").map { $0.filter { !$0.isWhitespace } }
        let isType =
            parts.count == 2 && ["String", "CFString", "NSString", "AnyHashable", "NSObject"].contains(parts[0])
        return isType ? end : nil
    }

    private mutating func readLiteral() throws(Defect) {
        if let end = endOfType {
            scanner.position = end + 3
            return
        }
        scanner.position += 1
        while true {
            scanner.skipBlanks()
            guard let byte = scanner.peek else {
                throw scanner.defect("the literal is not complete: its closing bracket is missing")
            }
            if byte == UInt8(ascii: "]") {
                scanner.position += 1
                return
            }
            if byte == UInt8(ascii: ",") || byte == UInt8(ascii: ":") && literal.dictionary.entries.isEmpty {
                scanner.position += 1
                continue
            }
            let isConditional = scanner.conditionDepth > 0
            let keyText = try scanner.expression(until: [UInt8(ascii: ":")])
            scanner.position += 1
            let valueText = try scanner.expression(until: Set(",]".utf8))
            guard let key = SwiftExpression.key(keyText) else {
                throw scanner.defect("'\(Self.shortened(keyText))' is no key that can be read")
            }
            assign(valueText, to: key, isConditional: isConditional)
        }
    }

    /// Sets an entry, or records that its value is unknown: that of an expression, or one that is set conditionally.
    private mutating func assign(_ valueText: String, to key: String, isConditional: Bool) {
        let value = SwiftExpression.value(valueText, for: key)
        literal.unknown.remove(key)
        literal.dictionary[key] = nil
        if isConditional {
            literal.unknown.insert(key)
        } else if valueText == "nil" {
            return
        } else if let value {
            literal.dictionary[key] = value
        } else if KeyNames.isKnown(key) {
            literal.unknown.insert(key)
        } else {
            // The call fails because of the key, regardless of the value.
            literal.dictionary[key] = .string("")
        }
    }

    private static func shortened(_ text: String) -> String { text.count <= 60 ? text : text.prefix(59) + "\u{2026}" }

    // MARK: - Text before the literal

    private func textBefore(_ start: Int) -> String {
        String(decoding: scanner.text[..<start], as: UTF8.self).trimmingBlanks
    }

    /// The variable in `var name: Type = […]` or `name = […]`.
    private func variable(before start: Int) -> String? {
        let text = textBefore(start)
        guard text.hasSuffix("=") else { return nil }
        let left = String(text.dropLast()).trimmingBlanks
        let lastLine = left.split(separator: "\n").last.map { String($0) } ?? left
        for word in ["var ", "let "] {
            guard let range = lastLine.lastRange(of: word) else { continue }
            let name = lastLine[range.upperBound...].prefix { $0.isLetter || $0.isNumber || $0 == "_" }
            if !name.isEmpty { return String(name) }
        }
        let name = String(lastLine.reversed().prefix { $0.isLetter || $0.isNumber || $0 == "_" }.reversed())
        return name.isEmpty ? nil : name
    }

    // MARK: - Text after the literal

    /// Reads what is assigned to entries of the variable, up to the end of its scope.
    private mutating func readStatements() throws(Defect) {
        var depth = 0
        var (previous, isAfterDot) = ("", false)
        while true {
            scanner.skipBlanks()
            guard let byte = scanner.peek else { return }
            if scanner.isAtString {
                _ = try scanner.string()
            } else if let word = scanner.word() {
                let isOwn = !isAfterDot || previous == "self"
                if word == name, ["let", "var"].contains(previous) { return }
                if word == name, isOwn { try readChange(isConditional: depth > 0 || scanner.conditionDepth > 0) }
                if word == "SecItemUpdate", scanner.peek == UInt8(ascii: "("), literal.attributes == nil {
                    scanner.position += 1
                    let first = try scanner.expression(until: Set(",)".utf8))
                    if first.split(separator: " ").first.map({ String($0) }) == name { try readSecondArgument() }
                }
                (previous, isAfterDot) = (word, false)
                continue
            } else {
                if byte == UInt8(ascii: "{") { depth += 1 }
                if byte == UInt8(ascii: "}") { depth -= 1 }
                if depth < 0 { return }
                isAfterDot = byte == UInt8(ascii: ".")
                scanner.position += 1
                continue
            }
            isAfterDot = false
        }
    }

    /// Parses `[key] = value`, `.removeValue(forKey: key)` or `.updateValue(value, forKey: key)` after the variable.
    private mutating func readChange(isConditional: Bool) throws(Defect) {
        let line = scanner.defect("").line
        scanner.skipBlanks(acrossLines: false)
        if scanner.peek == UInt8(ascii: "[") {
            scanner.position += 1
            let keyText = try scanner.expression(until: [UInt8(ascii: "]")])
            scanner.position += 1
            scanner.skipBlanks(acrossLines: false)
            guard scanner.isNext("="), !scanner.isNext("==") else { return }
            scanner.position += 1
            let valueText = try scanner.statement()
            change(keyText, to: valueText, isConditional: isConditional, line: line)
        } else if scanner.isNext(".") {
            scanner.position += 1
            guard let word = scanner.word(), scanner.peek == UInt8(ascii: "(") else { return }
            scanner.position += 1
            let arguments = try scanner.expression(until: [UInt8(ascii: ")")])
            switch word {
            case "removeValue":
                change(
                    String(arguments.dropFirst("forKey:".count)),
                    to: "nil",
                    isConditional: isConditional,
                    line: line
                )
            case "updateValue":
                guard let range = arguments.lastRange(of: ", forKey:") else { return }
                let (value, key) = (arguments[..<range.lowerBound], arguments[range.upperBound...])
                change(String(key), to: String(value), isConditional: isConditional, line: line)
            case "merge", "removeAll": literal.unreadLines.append(line)
            default: break
            }
        }
    }

    private mutating func change(_ keyText: String, to valueText: String, isConditional: Bool, line: Int) {
        if let key = SwiftExpression.key(keyText) {
            assign(valueText, to: key, isConditional: isConditional)
        } else {
            literal.unreadLines.append(line)
        }
    }

    /// Reads the new attributes of `SecItemUpdate`: a literal, or a variable.
    private mutating func readSecondArgument() throws(Defect) {
        while let byte = scanner.peek, byte != UInt8(ascii: ",") {
            if byte == UInt8(ascii: ")") { return }
            scanner.position += 1
        }
        guard !scanner.isAtEnd else { return }
        scanner.position += 1
        scanner.skipBlanks()
        var parser = SwiftDictionaryParser(scanner)
        if scanner.peek != UInt8(ascii: "[") {
            guard let variable = scanner.word(), let start = declaration(of: variable) else {
                literal.unreadLines.append(scanner.defect("").line)
                return
            }
            parser.scanner.position = start
            parser.name = variable
        }
        guard try parser.isLiteral() else { return }
        try parser.readLiteral()
        if parser.name != nil { try parser.readStatements() } else { scanner = parser.scanner }
        literal.attributes = parser.literal.dictionary
        literal.unknownAttributes = parser.literal.unknown
        literal.unreadLines += parser.literal.unreadLines
    }

    /// The start of the literal that a variable is initialized with.
    private func declaration(of variable: String) -> Int? {
        var (found, previous) = (SwiftDictionaryParser(SwiftScanner(String(decoding: scanner.text, as: UTF8.self))), "")
        while !found.scanner.isAtEnd {
            found.scanner.skipBlanks()
            if found.scanner.isAtString {
                guard (try? found.scanner.string()) != nil else { return nil }
            } else if let word = found.scanner.word() {
                if word == variable, ["let", "var"].contains(previous) { return try? found.findLiteral() }
                previous = word
            } else {
                found.scanner.position += 1
            }
        }
        return nil
    }
}

extension String {
    /// The last occurrence of a part.
    fileprivate func lastRange(of part: String) -> Range<String.Index>? {
        var index = endIndex
        while index > startIndex {
            index = self.index(before: index)
            if self[index...].hasPrefix(part) { return index..<self.index(index, offsetBy: part.count) }
        }
        return nil
    }
}
