// SPDX-License-Identifier: Apache-2.0

import Testing

/// Modules beneath `Security` import no module of C (Architecture, "Three ways in"): they declare the functions that
/// they call, and no compiler compares that with the header.
@Suite("Functions of C that Swift declares")
struct ExternFunctionTests {
    @Test("every function is declared as its header does")
    func declarations() throws {
        let swift = try CSignature.declaredInSwift()
        let headers = try CSignature.declaredInHeaders()
        #expect(swift.count >= 25)
        for declaration in swift {
            let expected = headers[declaration.name] ?? CSignature.ofOthers[declaration.name]
            #expect(expected == declaration, "\(declaration.name) in \(declaration.place)")
        }
    }
}

/// The types of a function's parameters and of its result, as Swift spells them, without optionality, which C lacks.
struct CSignature: Equatable {
    let name: String
    let parameters: [String]
    let result: String
    /// The file.
    let place: String

    static func == (one: CSignature, other: CSignature) -> Bool {
        (one.name, one.result) == (other.name, other.result) && one.parameters == other.parameters
    }

    /// Functions without a header of ours.
    static let ofOthers: [String: CSignature] = [
        // malloc_usable_size(3)
        "malloc_usable_size": CSignature(inC: "size_t malloc_usable_size(void *ptr)", "")
    ].compactMapValues(\.self)
}

// MARK: - Swift

extension CSignature {
    /// The functions behind `@_extern(c, …)`.
    static func declaredInSwift() throws -> [CSignature] {
        try Repository.files(in: ["Sources"], ending: "swift").flatMap { file in
            try functions(behind: #/@_extern\(c, "(?<name>\w+)"\)/#, in: file)
        }
    }

    private static func functions(
        behind attribute: Regex<(Substring, name: Substring)>,
        in file: String
    ) throws -> [CSignature] {
        let lines = try Repository.lines(of: file).map { $0.drop(while: \.isWhitespace) }.filter { !$0.hasPrefix("//") }
        guard lines.contains(where: { $0.hasPrefix("@_") }) else { return [] }
        let text = lines.joined(separator: " ")
        return text.matches(of: attribute).compactMap { match -> CSignature? in
            let rest = text[match.range.upperBound...]
            guard let open = rest.firstIndex(of: "(") else { return nil }
            let parameters = Nesting.list(rest[open...])
            let result = rest[parameters.end...].prefixMatch(of: /\s*(?:->\s*(?<type>\w+(?:<[^ ]*>)?\??))?/)
            return CSignature(
                name: String(match.name),
                parameters: parameters.elements.map { plain($0.drop { $0 != ":" }.dropFirst()) },
                result: plain(result?.type ?? "Void"),
                place: file
            )
        }
    }

    /// A type without optionality, attributes and spaces.
    private static func plain(_ type: Substring) -> String {
        String(type.replacing("@convention(c)", with: "").filter { $0 != "?" && $0 != " " })
    }
}

// MARK: - C

extension CSignature {
    /// The functions of all headers, and those of Swift that have a name in C.
    static func declaredInHeaders() throws -> [String: CSignature] {
        let headers = try Repository.files(in: ["Sources"], ending: "h").flatMap { file in
            let text = try Repository.lines(of: file).filter { !$0.hasPrefix("//") && !$0.hasPrefix("#") }
                .joined(separator: " ").replacing(/\s+/, with: " ")
            return text.split(separator: ";").compactMap { CSignature(inC: $0, file) }
        }
        let exported = try Repository.files(in: ["Sources"], ending: "swift").flatMap { file in
            try functions(behind: #/@_cdecl\("(?<name>\w+)"\)/#, in: file)
        }
        return Dictionary((headers + exported).map { ($0.name, $0) }) { first, _ in first }
    }

    /// Reads a declaration of C; `nil` for what is no function.
    private init?(inC declaration: some StringProtocol, _ file: String) {
        let declaration = Substring(declaration)
        guard let head = declaration.firstMatch(of: /(?<result>[\w ]+?[ *]+)(?<name>\w+)(?=\()/),
            !declaration.contains("typedef"), !declaration.contains("{")
        else { return nil }
        let list = Nesting.list(declaration[head.range.upperBound...])
        name = String(head.name)
        result = Self.swift(head.result)
        parameters = list.elements.filter { $0 != "void" }.map(Self.parameter)
        place = file
    }

    private static func parameter(_ text: Substring) -> String {
        guard let function = text.firstMatch(of: /^(?<result>.+?)\(\*\w*\)(?=\()/) else {
            // The name stands behind the type.
            return swift(text[...(text.lastIndex { !$0.isLetter && !$0.isNumber && $0 != "_" } ?? text.startIndex)])
        }
        let list = Nesting.list(text[function.range.upperBound...])
        return "(\(list.elements.map(parameter).joined(separator: ",")))->\(swift(function.result))"
    }

    private static let numbers = [
        "void": "Void", "bool": "Bool", "char": "CChar", "int": "Int32", "size_t": "Int", "uint8_t": "UInt8",
        "int64_t": "Int64", "uint32_t": "UInt32", "uint64_t": "UInt64", "uintptr_t": "UInt", "mode_t": "mode_t",
        "pid_t": "pid_t", "uid_t": "uid_t",
    ]

    /// What the compiler imports a type of C as.
    private static func swift(_ type: Substring) -> String {
        var words = type.replacing("*", with: " * ").split(separator: " ").filter { $0 != "struct" }
        guard let last = words.popLast() else { return "" }
        let isConstant: Bool
        switch last {
        case "const":
            // That of a pointer itself, which its user asks for below.
            return swift(words.joined(separator: " ")[...])
        case "*":
            // What is pointed at is constant where `const` stands before its name, or behind it.
            let isPointer = words.contains("*")
            isConstant = isPointer ? words.last == "const" : words.contains("const")
            if !isPointer { words.removeAll { $0 == "const" } }
            let pointee = swift(words.joined(separator: " ")[...])
            if !isPointer, !words.contains(where: { numbers[String($0)] != nil }) { return "OpaquePointer" }
            if pointee == "Void" { return isConstant ? "UnsafeRawPointer" : "UnsafeMutableRawPointer" }
            return "\(isConstant ? "UnsafePointer" : "UnsafeMutablePointer")<\(pointee)>"
        default:
            return numbers[String(last)] ?? String(last)
        }
    }
}
