// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// A file of variables, as `.env` files are: lines `NAME=VALUE`.
///
/// Empty lines and those that begin with `#` are comments; `export` before a name is skipped. A value in single quotes
/// is as it is; in double quotes, `\n`, `\r`, `\t`, `\"`, `\\`, `\$` and a backslash before a backquote are escapes.
/// Quoted values may have several lines. A value without quotes ends before ` #`, and has no blanks around it. Nothing
/// is expanded. A byte order mark at the beginning is skipped.
enum EnvironmentFile {
    /// The variables of a file, in its order.
    ///
    /// - Throws: ``Refusal`` with the number of a line that is none of these; it repeats no value.
    static func parse(
        _ contents: SecretBytes,
        name: String
    ) throws(Refusal) -> [(name: String, value: String)] {
        guard let text = contents.withUnsafeBytes({ String(validating: $0, as: UTF8.self) }) else {
            throw Refusal("\(name.printable) is not UTF-8")
        }
        var rest = text.unicodeScalars[...]
        if rest.first == "\u{FEFF}" { rest.removeFirst() }
        var line = 1
        var variables: [(name: String, value: String)] = []
        while !rest.isEmpty {
            let start = line
            guard let variable = variable(&rest, &line) else {
                throw Refusal("\(name.printable), line \(start): neither NAME=VALUE nor a comment")
            }
            if !variable.name.isEmpty { variables.append(variable) }
        }
        return variables
    }

    /// The parts of `NAME=VALUE`; `nil` if there is no valid name.
    static func assignment(_ text: String) -> (name: String, value: String)? {
        guard let sign = text.firstIndex(of: "="), isName(text[..<sign]) else { return nil }
        return (String(text[..<sign]), String(text[text.index(after: sign)...]))
    }

    /// A name of a variable (POSIX.1, "Name").
    static func isName(_ text: some StringProtocol) -> Bool {
        let scalars = text.unicodeScalars
        guard let first = scalars.first, !("0"..."9").contains(first) else { return false }
        return scalars.allSatisfy {
            ("a"..."z").contains($0) || ("A"..."Z").contains($0) || ("0"..."9").contains($0) || $0 == "_"
        }
    }

    private typealias Rest = Substring.UnicodeScalarView

    /// Reads one line, or several of a quoted value; `nil` for a mistake, and an empty name for a comment.
    private static func variable(_ rest: inout Rest, _ line: inout Int) -> (name: String, value: String)? {
        skipBlanks(&rest)
        guard let first = rest.first, first != "\n", first != "#" else {
            endLine(&rest, &line)
            return ("", "")
        }
        var name = take(&rest) { $0 != "=" && $0 != "\n" }
        let keyword = "export"
        if name.hasPrefix("\(keyword) ") || name.hasPrefix("\(keyword)\t") {
            name = String(name.dropFirst(keyword.count).drop(while: isBlank))
        }
        while let last = name.last, isBlank(last) { name.removeLast() }
        guard isName(name), rest.popFirst() == "=" else { return nil }
        let hasBlanks = skipBlanks(&rest)
        let value: String
        switch rest.first {
        case "'"?, "\""?:
            guard let quoted = quoted(&rest, &line) else { return nil }
            value = quoted
            skipBlanks(&rest)
            guard rest.isEmpty || rest.first == "\n" || rest.first == "#" else { return nil }
        default:
            // Without a blank before it, it is a part of the value.
            var last: Unicode.Scalar = hasBlanks ? " " : "="
            var text = take(&rest) { scalar in
                defer { last = scalar }
                return scalar != "\n" && !(scalar == "#" && (last == " " || last == "\t"))
            }
            while let end = text.unicodeScalars.last, [" ", "\t", "\r"].contains(end) {
                text.unicodeScalars.removeLast()
            }
            value = text
        }
        endLine(&rest, &line)
        return (name, value)
    }

    private static func quoted(_ rest: inout Rest, _ line: inout Int) -> String? {
        guard let quote = rest.popFirst() else { return nil }
        var value = String.UnicodeScalarView()
        while let scalar = rest.popFirst() {
            if scalar == quote { return String(value) }
            if scalar == "\n" { line += 1 }
            guard scalar == "\\", quote == "\"", let next = rest.first, let meant = escapes[next] else {
                value.append(scalar)
                continue
            }
            rest.removeFirst()
            value.append(meant)
        }
        return nil
    }

    private static let escapes: [Unicode.Scalar: Unicode.Scalar] = [
        "n": "\n", "r": "\r", "t": "\t", "\"": "\"", "\\": "\\", "$": "$", "`": "`",
    ]

    private static func isBlank(_ character: Character) -> Bool { character == " " || character == "\t" }

    /// Returns whether there were any.
    @discardableResult
    private static func skipBlanks(_ rest: inout Rest) -> Bool {
        let count = rest.count
        while let first = rest.first, [" ", "\t", "\r"].contains(first) { rest.removeFirst() }
        return rest.count != count
    }

    private static func take(_ rest: inout Rest, while isPart: (Unicode.Scalar) -> Bool) -> String {
        var taken = String.UnicodeScalarView()
        while let first = rest.first, isPart(first) {
            taken.append(first)
            rest.removeFirst()
        }
        return String(taken)
    }

    private static func endLine(_ rest: inout Rest, _ line: inout Int) {
        while let scalar = rest.popFirst(), scalar != "\n" {}
        line += 1
    }
}
