// SPDX-License-Identifier: Apache-2.0

import Foundation

/// One JSON value that keeps `true` and `1` apart.
///
/// `JSONSerialization` hands out `NSNumber` for both; decoding into this enum asks for a boolean before a number.
package indirect enum JSONValue: Sendable, Equatable {
    case null
    case boolean(Bool)
    case integer(Int)
    case real(Double)
    case string(String)
    case array([JSONValue])
    case object([String: JSONValue])
}

extension JSONValue: Decodable {
    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(Bool.self) {
            self = .boolean(value)
        } else if let value = try? container.decode(Int.self) {
            self = .integer(value)
        } else if let value = try? container.decode(Double.self) {
            self = .real(value)
        } else if let value = try? container.decode(String.self) {
            self = .string(value)
        } else if let value = try? container.decode([JSONValue].self) {
            self = .array(value)
        } else {
            self = .object(try container.decode([String: JSONValue].self))
        }
    }
}

extension JSONValue {
    /// The members of an object; anything else is a defect of the case.
    func object(_ what: String) throws(CaseDefect) -> [String: JSONValue] {
        guard case .object(let members) = self else { throw CaseDefect("\(what) is not an object") }
        return members
    }

    /// The elements of an array; anything else is a defect of the case.
    func array(_ what: String) throws(CaseDefect) -> [JSONValue] {
        guard case .array(let elements) = self else { throw CaseDefect("\(what) is not an array") }
        return elements
    }

    /// The characters of a string; anything else is a defect of the case.
    func string(_ what: String) throws(CaseDefect) -> String {
        guard case .string(let characters) = self else { throw CaseDefect("\(what) is not a string") }
        return characters
    }

    /// A truth value; anything else is a defect of the case.
    func boolean(_ what: String) throws(CaseDefect) -> Bool {
        guard case .boolean(let value) = self else { throw CaseDefect("\(what) is not a boolean") }
        return value
    }

    /// An integer; anything else is a defect of the case.
    func integer(_ what: String) throws(CaseDefect) -> Int {
        guard case .integer(let number) = self else { throw CaseDefect("\(what) is not an integer") }
        return number
    }
}

extension [String: JSONValue] {
    /// Refuses members that nothing would look at, so that a misspelt one cannot make a case pass.
    func allow(only names: Set<String>, in what: String) throws(CaseDefect) {
        for name in keys.sorted() where !names.contains(name) {
            throw CaseDefect("unknown member \"\(name)\" of \(what)")
        }
    }

    /// The member of this name; its absence is a defect of the case.
    func required(_ name: String, of what: String) throws(CaseDefect) -> JSONValue {
        guard let value = self[name] else { throw CaseDefect("\(what) has no member \"\(name)\"") }
        return value
    }
}
