// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import KeychainCore
import KeychainDoctor
import KeychainPropertyLists
import KeychainTrace

/// A dictionary or a recorded call as passed to `keychainctl doctor`: JSON, a property list, or a Swift literal.
struct QueryText {
    /// The parsed content.
    enum Content {
        case dictionary(PropertyDictionary)
        case call(TracedCall)
    }

    let content: Content
    /// The keys whose values the text does not contain.
    var unknownKeys: Set<String> = []
    /// The new attributes, if the text is a call of `SecItemUpdate`.
    var attributes: PropertyDictionary?
    /// Those of the new attributes' keys whose values the text does not contain.
    var unknownAttributeKeys: Set<String> = []
    /// The information missing from the text, one sentence each.
    var remarks: [String] = []

    private static let largestText = 16 << 20

    /// Reads a text.
    ///
    /// - Throws: ``BadInput``.
    init(_ bytes: Data) throws(BadInput) {
        guard bytes.count <= Self.largestText else { throw BadInput("the query is too large") }
        if let value = Self.propertyList(bytes) {
            guard case .object(let members) = value else { throw BadInput("the property list is no dictionary") }
            try self.init(members: members)
            return
        }
        guard let text = String(data: bytes, encoding: .utf8) else { throw BadInput("the query is not UTF-8") }
        let first = text.first { !$0.isWhitespace }
        if first == "{" {
            try self.init(json: bytes)
        } else {
            try self.init(literal: text)
        }
    }

    private init(content: Content, remarks: [String] = []) {
        self.content = content
        self.remarks = remarks
    }

    /// The dictionary; `nil` for a recorded call.
    var dictionary: PropertyDictionary? { if case .dictionary(let dictionary) = content { dictionary } else { nil } }

    // MARK: - Notations

    private init(json bytes: Data) throws(BadInput) {
        let value: JSONValue
        do { value = try JSONParser.parse(bytes) } catch {
            throw BadInput("the query begins like JSON, and is none: \(error)")
        }
        guard case .object(let members) = value else { throw BadInput("the query is no object") }
        if members["op"] != nil {
            self.init(content: .call(try Self.call(bytes)))
        } else {
            try self.init(members: members)
        }
    }

    private init(members: [String: JSONValue]) throws(BadInput) {
        let call = try Self.copy(members)
        self.init(content: .dictionary(call.operation.mainDictionary))
        unknownKeys = call.hiddenKeys
    }

    private init(literal text: String) throws(BadInput) {
        do throws(SwiftDictionaryParser.Defect) {
            let literal = try SwiftDictionaryParser.parse(text)
            self.init(
                content: .dictionary(literal.dictionary),
                remarks: literal.unreadLines.map { "line \($0) changes the dictionary in a way that cannot be read" }
            )
            unknownKeys = literal.unknown
            attributes = literal.attributes
            unknownAttributeKeys = literal.unknownAttributes
        } catch {
            throw BadInput("the query is neither JSON, nor a property list, nor a Swift dictionary: \(error)")
        }
    }

    private static func call(_ bytes: Data) throws(BadInput) -> TracedCall {
        let entry: TraceEntry
        do throws(TraceError) {
            entry = try TraceEntry(line: bytes)
        } catch {
            if case .malformed(let why) = error { throw BadInput("the query cannot be read: \(why)") }
            throw BadInput("\(error)")
        }
        guard case .call(let call) = entry.content else { throw BadInput("the line is no call") }
        return call
    }

    /// A copy call with a dictionary whose keys are names of constants, columns, or literal keys.
    private static func copy(_ members: [String: JSONValue]) throws(BadInput) -> TracedCall {
        var named: [String: JSONValue] = [:]
        var keys: Set<String> = []
        for (key, value) in members {
            let isNamed = key.hasPrefix(CaseNotation.constantPrefix) || key.hasPrefix(CaseNotation.rawPrefix)
            let name = isNamed ? key : CaseNotation.rawPrefix + key
            named[name] = value
            // Otherwise it would be arbitrary which of the two is used.
            if let key = CaseNotation.key(named: name), !keys.insert(key).inserted {
                throw BadInput("an entry is given twice, by the name of its constant and by the key behind it")
            }
        }
        let line = JSONValue.object([
            "v": .integer(TraceEntry.version), "time": .string("2001-01-01T00:00:00Z"), "op": .string("copy"),
            "args": .object(named), "client": .object(["groups": .array([])]), "status": .string("errSecSuccess"),
            "ms": .integer(0),
        ])
        return try call(Data(line.text.utf8))
    }

    /// A property list, as the JSON with the same values; `nil` if it is not a property list.
    private static func propertyList(_ bytes: Data) -> JSONValue? {
        let beginnings = ["<?xml", "<plist", "<!DOCTYPE plist", "bplist"]
        let start = String(decoding: bytes.prefix(64), as: UTF8.self)
        guard beginnings.contains(where: { start.drop(while: \.isWhitespace).hasPrefix($0) }) else { return nil }
        return PropertyListValue(bytes)?.json ?? .null
    }
}

extension PropertyListValue {
    /// The value in the notation of cases.
    fileprivate var json: JSONValue {
        switch self {
        case .boolean(let flag): .boolean(flag)
        case .integer(let number): .integer(number)
        case .unsigned(let number): .real(Double(number))
        case .real(let number): .real(number)
        case .string(let text): .string(text)
        case .data(let data): .object(["data": .string(data.base64EncodedString())])
        case .date(let date): .object(["date": .string(date.formatted(.iso8601))])
        case .array(let elements): .object(["array": .array(elements.map(\.json))])
        case .dictionary(let members): .object(members.mapValues(\.json))
        }
    }
}

/// Invalid input to a command: one sentence, without any value.
///
/// Its exit status is 2.
struct BadInput: Error, Hashable, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
