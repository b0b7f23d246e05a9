// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// Keys and values of dictionaries as Swift expressions.
enum SwiftExpression {
    /// The key that an expression evaluates to.
    static func key(_ expression: String) -> String? {
        let bare = bare(expression)
        return literal(bare) ?? ConstantTable.value(named: bare)
    }

    /// The value of an expression; `nil` if the text does not show it.
    static func value(_ expression: String, for key: String) -> PropertyValue? {
        let bare = bare(expression)
        // Never copied: explaining a call needs only the type of a secret, not its value.
        if [PropertyKey.valueData, PropertyKey.useCredentialReference, PropertyKey.valueReference].contains(key) {
            if literal(bare) != nil { return .string("") }
            if bytes(of: bare) != nil || key == PropertyKey.valueData { return .data(SecretBytes()) }
            return nil
        }
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

    /// An expression without casts, `String(…)` and parentheses around it, and the module's name before it.
    private static func bare(_ expression: String) -> String {
        var text = expression.trimmingBlanks
        while true {
            if let inside = text.insideParentheses(after: "") {
                text = inside
            } else if let range = text.lastCast, !text[range.upperBound...].contains("\"") {
                text = String(text[..<range.lowerBound]).trimmingBlanks
            } else if let inside = ["String", "NSString"].lazy.compactMap({ text.insideParentheses(after: $0) }).first,
                !inside.contains(":")
            {
                text = inside
            } else if text.hasPrefix("Security.") {
                text = String(text.dropFirst("Security.".count))
            } else {
                return text
            }
        }
    }

    /// The text of `Data("…".utf8)` and `"…".data(using: .utf8)`.
    private static func bytes(of expression: String) -> String? {
        if let inside = expression.insideParentheses(after: "Data"), inside.hasSuffix(".utf8") {
            return literal(String(inside.dropLast(5)).trimmingBlanks)
        }
        for suffix in [".data(using: .utf8)!", ".data(using: .utf8)", ".data(using: String.Encoding.utf8)!"]
        where expression.hasSuffix(suffix) {
            return literal(String(expression.dropLast(suffix.count)))
        }
        return nil
    }

    // MARK: - Strings

    /// The text of a string literal; `nil` for one with an interpolation, for one with too many consecutive combining
    /// marks, and for anything else.
    private static func literal(_ expression: String) -> String? {
        let hashes = String(expression.prefix { $0 == "#" })
        let rest = expression.dropFirst(hashes.count)
        let quote = rest.hasPrefix("\"\"\"") ? "\"\"\"" : "\""
        guard rest.hasPrefix(quote), rest.hasSuffix(quote + hashes), rest.count >= 2 * quote.count + hashes.count else {
            return nil
        }
        var content = String(rest.dropFirst(quote.count).dropLast(quote.count + hashes.count))
        if quote.count == 3 {
            guard let text = unindented(content) else { return nil }
            content = text
        }
        let text = unescaped(content[...], hashes: hashes, end: quote + hashes)
        return text.flatMap { $0.hasTooManyMarks ? nil : $0 }
    }

    /// The lines between the quotes of a string of several lines, without the indentation of the last one.
    private static func unindented(_ content: String) -> String? {
        var lines = content.split(separator: "\n", omittingEmptySubsequences: false)
        guard lines.count >= 2, let first = lines.first, let indentation = lines.last,
            first.allSatisfy(\.isWhitespace), indentation.allSatisfy(\.isWhitespace)
        else { return nil }
        lines = Array(lines.dropFirst().dropLast())
        return lines.map { $0.hasPrefix(indentation) ? $0.dropFirst(indentation.count) : $0 }.joined(separator: "\n")
    }

    private static func unescaped(_ content: Substring, hashes: String, end: String) -> String? {
        var (result, rest) = ("", content)
        while !rest.isEmpty {
            if rest.hasPrefix(end) { return nil }
            guard rest.hasPrefix("\\" + hashes) else {
                result.append(rest.removeFirst())
                continue
            }
            rest = rest.dropFirst(1 + hashes.count)
            switch rest.popFirst() {
            case "n": result.append("\n")
            case "t": result.append("\t")
            case "r": result.append("\r")
            case "0": result.append("\0")
            // The end of a line that does not count.
            case "\n": break
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
    /// The position of the last ` as `, ` as! ` or ` as? `.
    fileprivate var lastCast: Range<String.Index>? {
        var index = endIndex
        while index > startIndex {
            index = self.index(before: index)
            for mark in [" as ", " as! ", " as? "] where self[index...].hasPrefix(mark) {
                return index..<self.index(index, offsetBy: mark.count)
            }
        }
        return nil
    }

    /// The text in the parentheses that make up everything after a name.
    fileprivate func insideParentheses(after name: String) -> String? {
        guard hasPrefix(name + "("), hasSuffix(")") else { return nil }
        let inside = String(dropFirst(name.count + 1).dropLast())
        // A closing bracket without an opening one ends the first pair.
        return SwiftScanner(inside).isBalanced() ? inside.trimmingBlanks : nil
    }
}
