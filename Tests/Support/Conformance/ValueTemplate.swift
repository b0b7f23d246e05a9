// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainCore
import KeychainTrace

/// A value that a case passes or expects, before variables are filled in.
indirect enum ValueTemplate {
    case null
    case boolean(Bool)
    case integer(Int)
    case real(Double)
    case string(String)
    case data(Data)
    case date(Date)
    case array([ValueTemplate])
    case dictionary([String: ValueTemplate])
    case accessControl(AccessControlTemplate)
    case variable(String)
    case reference(ReferenceTemplate)
}

// MARK: - From JSON

extension ValueTemplate {
    /// The names of the objects that stand for a value, as in `{"data": "..."}`.
    static let kinds: Set<String> = [
        "string", "data", "date", "number", "array", "dictionary", "accessControl", "certificate", "key", "identity",
        "var",
    ]

    init(_ json: JSONValue) throws(CaseDefect) {
        switch json {
        case .null: self = .null
        case .boolean(let value): self = .boolean(value)
        case .integer(let value): self = .integer(value)
        case .real(let value): self = .real(value)
        case .string(let name) where name.hasPrefix(CaseNotation.constantPrefix):
            self = .string(try SymbolName.constant(name))
        case .string(let value): self = .string(value)
        case .array: throw CaseDefect("a bare array is no value; write {\"array\": [...]}")
        case .object(let members): self = try Self.tagged(members)
        }
    }

    /// The dictionary of an operation: constant names or `raw:` keys, and values.
    static func members(_ json: JSONValue, of what: String) throws(CaseDefect) -> [String: ValueTemplate] {
        var members: [String: ValueTemplate] = [:]
        for (name, value) in try json.object(what) {
            let earlier = members.updateValue(try ValueTemplate(value), forKey: try SymbolName.key(name))
            if earlier != nil { throw CaseDefect("\(what) names the key of \"\(name)\" twice") }
        }
        return members
    }

    private static func tagged(_ members: [String: JSONValue]) throws(CaseDefect) -> ValueTemplate {
        guard let (kind, content) = members.first, members.count == 1 else {
            throw CaseDefect("a value has one member that names its kind, not \(members.keys.sorted())")
        }
        switch kind {
        case "string": return .string(try content.string("a string"))
        case "data": return .data(try data(content))
        case "date": return .date(try date(content))
        case "number": return try number(content)
        case "array": return .array(try elements(content))
        case "dictionary": return .dictionary(try Self.members(content, of: "a dictionary value"))
        case "accessControl": return .accessControl(try AccessControlTemplate(content))
        case "certificate", "key", "identity": return .reference(try ReferenceTemplate(kind, content))
        case "var": return .variable(try content.string("a variable"))
        default: throw CaseDefect("unknown value kind \"\(kind)\"")
        }
    }

    static func data(_ json: JSONValue) throws(CaseDefect) -> Data {
        guard let data = Data(base64Encoded: try json.string("data")) else { throw CaseDefect("data is not base64") }
        return data
    }

    private static func number(_ json: JSONValue) throws(CaseDefect) -> ValueTemplate {
        switch json {
        case .integer(let value): return .integer(value)
        case .real(let value): return .real(value)
        default: throw CaseDefect("a number is not a number")
        }
    }

    private static func elements(_ json: JSONValue) throws(CaseDefect) -> [ValueTemplate] {
        var elements: [ValueTemplate] = []
        for element in try json.array("an array value") { elements.append(try ValueTemplate(element)) }
        return elements
    }

    /// Reads `2001-02-03T04:05:06Z`, also with a fraction of a second after the seconds.
    private static func date(_ json: JSONValue) throws(CaseDefect) -> Date {
        let text = try json.string("a date")
        guard let date = CaseNotation.date(from: text) else { throw CaseDefect("\"\(text)\" is not an ISO 8601 date") }
        return date
    }
}

// MARK: - To what a caller would pass

/// What earlier steps of a case have saved.
typealias Variables = [String: Any]

extension ValueTemplate {
    /// The value, with variables filled in.
    func value(_ variables: Variables) throws(CaseDefect) -> Any {
        switch self {
        case .null: return NSNull()
        case .boolean(let value): return NSNumber(value: value)
        case .integer(let value): return NSNumber(value: value)
        case .real(let value): return NSNumber(value: value)
        case .string(let value): return value
        case .data(let value): return value
        case .date(let value): return value
        case .array(let elements): return try Self.values(elements, variables)
        case .dictionary(let members): return try Self.values(members, variables)
        case .accessControl(let template): return try Self.accessControl(template, variables)
        case .variable(let name): return try Self.saved(name, variables)
        case .reference(let template): return try template.object()
        }
    }

    /// The members of a dictionary, with variables filled in.
    static func values(_ members: [String: ValueTemplate], _ variables: Variables) throws(CaseDefect) -> [String: Any] {
        var values: [String: Any] = [:]
        for (key, template) in members { values[key] = try template.value(variables) }
        return values
    }

    private static func values(_ elements: [ValueTemplate], _ variables: Variables) throws(CaseDefect) -> [Any] {
        var values: [Any] = []
        for template in elements { values.append(try template.value(variables)) }
        return values
    }

    private static func accessControl(
        _ template: AccessControlTemplate,
        _ variables: Variables
    ) throws(CaseDefect) -> Any {
        let made = try template.create(variables)
        guard let accessControl = made.value else {
            throw CaseDefect("the access control is refused: \(SymbolName.describe(made.status))")
        }
        return accessControl
    }

    private static func saved(_ name: String, _ variables: Variables) throws(CaseDefect) -> Any {
        guard let value = variables[name] else { throw CaseDefect("no earlier step saved \"\(name)\"") }
        return value
    }
}
