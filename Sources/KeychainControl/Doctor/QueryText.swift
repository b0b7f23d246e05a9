// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainCore
import KeychainDoctor
import KeychainTrace

/// A dictionary or a recorded call as somebody gives it to `keychainctl doctor`: JSON, a property list, or a Swift
/// literal.
struct QueryText {
    /// What was read.
    enum Content {
        case dictionary(PropertyDictionary)
        case call(TracedCall)
    }

    let content: Content
    /// What the text does not tell, a sentence each.
    var remarks: [String] = []

    private static let largestText = 16 << 20

    /// Reads a text.
    ///
    /// - Throws: ``BadInput``.
    init(_ bytes: Data) throws(BadInput) {
        guard bytes.count <= Self.largestText else { throw BadInput("the query is too large") }
        if let value = Self.propertyList(bytes) {
            guard case .object(let members) = value else { throw BadInput("the property list is no dictionary") }
            self.init(content: .dictionary(try Self.dictionary(members)))
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

    /// The dictionary, where it is none of a recorded call.
    var dictionary: PropertyDictionary? { if case .dictionary(let dictionary) = content { dictionary } else { nil } }

    // MARK: - Notations

    private init(json bytes: Data) throws(BadInput) {
        let value: JSONValue
        do { value = try JSONDecoder().decode(JSONValue.self, from: bytes) } catch {
            throw BadInput("the query begins like JSON, and is none")
        }
        guard case .object(let members) = value else { throw BadInput("the query is no object") }
        if members["op"] != nil {
            self.init(content: .call(try Self.call(bytes)))
        } else {
            self.init(content: .dictionary(try Self.dictionary(members)))
        }
    }

    private init(literal text: String) throws(BadInput) {
        do throws(SwiftDictionaryParser.Defect) {
            let literal = try SwiftDictionaryParser.parse(text)
            self.init(
                content: .dictionary(literal.dictionary),
                remarks: literal.unknown.map {
                    "\($0.key) is left out: '\($0.expression)' cannot be known from the text"
                }
            )
        } catch {
            throw BadInput("the query is neither JSON, nor a property list, nor a Swift dictionary: \(error)")
        }
    }

    private static func call(_ bytes: Data) throws(BadInput) -> TracedCall {
        let entry: TraceEntry
        do throws(TraceError) { entry = try TraceEntry(line: bytes) } catch { throw BadInput("\(error)") }
        guard case .call(let call) = entry.content else { throw BadInput("the line is no call") }
        return call
    }

    /// A dictionary whose keys are names of constants, columns, or other keys as they are.
    private static func dictionary(_ members: [String: JSONValue]) throws(BadInput) -> PropertyDictionary {
        var named: [String: JSONValue] = [:]
        for (key, value) in members {
            let isNamed = key.hasPrefix(CaseNotation.constantPrefix) || key.hasPrefix(CaseNotation.rawPrefix)
            named[isNamed ? key : CaseNotation.rawPrefix + key] = value
        }
        let line = JSONValue.object([
            "v": .integer(TraceEntry.version), "time": .string("2001-01-01T00:00:00Z"), "op": .string("copy"),
            "args": .object(named), "client": .object(["groups": .array([])]), "status": .string("errSecSuccess"),
            "ms": .integer(0),
        ])
        guard case .copyMatching(let dictionary) = try call(Data(line.text.utf8)).operation else {
            throw BadInput("the query cannot be read")
        }
        return dictionary
    }

    /// A property list, as the same values would be written in JSON; `nil` for what is none.
    private static func propertyList(_ bytes: Data) -> JSONValue? {
        let beginnings = ["<?xml", "<plist", "<!DOCTYPE plist", "bplist"]
        let start = String(decoding: bytes.prefix(64), as: UTF8.self)
        guard beginnings.contains(where: { start.drop(while: \.isWhitespace).hasPrefix($0) }) else { return nil }
        guard let value = try? PropertyListSerialization.propertyList(from: bytes, format: nil) else { return .null }
        return json(value)
    }

    private static func json(_ value: Any) -> JSONValue {
        switch value {
        case let text as String: .string(text)
        case let flag as Bool: .boolean(flag)
        case let number as Int: .integer(number)
        case let number as Double: .real(number)
        case let data as Data: .object(["data": .string(data.base64EncodedString())])
        case let date as Date: .object(["date": .string(date.formatted(.iso8601))])
        case let elements as [Any]: .object(["array": .array(elements.map(json))])
        case let members as [String: Any]: .object(members.mapValues(json))
        default: .null
        }
    }
}

/// What was given to a command and cannot be used: one sentence, which holds no value.
///
/// Its exit status is 2.
struct BadInput: Error, Hashable, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
