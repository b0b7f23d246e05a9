// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainCore
import Security

/// One step of a case, read completely before anything of the case is run.
struct Step {
    /// The operation as the case spells it.
    var name: String
    var operation: StepOperation
    var expectation: Expectation
    var saves: [Save]

    /// A variable to set from the result.
    struct Save {
        var variable: String
        /// The member of a dictionary result; `nil` saves the whole result.
        var member: String?
    }
}

/// What a step must give.
struct Expectation {
    /// Any one of these is right.
    var statuses: [OSStatus]
    /// Not looked at when `nil`.
    var matcher: Matcher?

    /// A step that says nothing must succeed.
    static var success: Expectation { Expectation(statuses: [errSecSuccess], matcher: nil) }

    /// The statuses for people.
    var describedStatuses: String { statuses.map(SymbolName.describe).joined(separator: " or ") }
}

// MARK: - From JSON

extension Step {
    /// The operation's name, as far as there is one, for failures about steps that cannot be read.
    static func name(_ json: JSONValue) -> String {
        guard case .object(let members) = json, case .string(let name) = members["op"] else { return "?" }
        return name
    }

    init(_ json: JSONValue) throws(CaseDefect) {
        let members = try json.object("a step")
        try members.allow(only: ["op", "args", "update", "save", "expect"], in: "a step")
        name = try members.required("op", of: "a step").string("\"op\"")
        operation = try StepOperation(name, members)
        expectation = try members["expect"].map(Expectation.init) ?? .success
        saves = try members["save"].map(Self.saves) ?? []
    }

    private static func saves(_ json: JSONValue) throws(CaseDefect) -> [Save] {
        if case .string(let variable) = json { return [Save(variable: variable, member: nil)] }
        var saves: [Save] = []
        for (variable, name) in try json.object("\"save\"") {
            saves.append(Save(variable: variable, member: try SymbolName.key(name.string("a saved member"))))
        }
        return saves
    }
}

extension Expectation {
    init(_ json: JSONValue) throws(CaseDefect) {
        let members = try json.object("\"expect\"")
        try members.allow(only: ["status", "result"], in: "\"expect\"")
        statuses = try Self.statuses(members["status"])
        matcher = try members["result"].map(Matcher.init)
    }

    private static func statuses(_ json: JSONValue?) throws(CaseDefect) -> [OSStatus] {
        guard let json else { return [errSecSuccess] }
        guard case .array(let alternatives) = json else { return [try SymbolName.status(json)] }
        if alternatives.isEmpty { throw CaseDefect("a list of statuses is empty") }
        var statuses: [OSStatus] = []
        for alternative in alternatives { statuses.append(try SymbolName.status(alternative)) }
        return statuses
    }
}
