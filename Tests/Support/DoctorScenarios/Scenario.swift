// SPDX-License-Identifier: Apache-2.0

import Conformance
import Foundation
import KeychainCore

/// One line of a scenario file: a case that builds a store, one more call, and what the doctor must say of it.
package struct Scenario: Sendable {
    package var id: String
    package var title: String
    var profile: ScenarioProfile
    var steps: [JSONValue]
    var call: JSONValue
    var isBackground: Bool
    var isContinuousIntegration: Bool
    var usedAs: String?
    var hasHistory: Bool
    var previousGroups: [String]?
    var otherGroups: [String]?
    /// `nil` where the row says nothing of it.
    var fileKeychain: JSONValue?
    var reportedStatus: JSONValue?
    var expectation: [String: JSONValue]
}

/// What a scenario runs on.
enum ScenarioProfile: String, CaseIterable {
    case dataProtectionIOS = "dp-ios"
    case dataProtectionMacOS = "dp-macos"
    case catalyst
    case simulator
    /// A native program of a Mac, whose call is taken as it is written.
    case macOS = "macos"
}

// MARK: - From JSON

extension Scenario {
    /// A line that is no scenario.
    package struct Defect: Error, CustomStringConvertible {
        package let description: String
        init(_ description: String) { self.description = description }
    }

    private static let members: Set<String> = [
        "id", "title", "profile", "steps", "call", "background", "ci", "usedAs", "history", "previousGroups",
        "otherGroups", "fileKeychain", "reportedStatus", "expect", "source",
    ]

    init(_ json: JSONValue) throws(Defect) {
        guard case .object(let row) = json else { throw Defect("not an object") }
        for name in row.keys where !Self.members.contains(name) { throw Defect("unknown member \"\(name)\"") }
        guard case .string(let id)? = row["id"] else { throw Defect("no member \"id\"") }
        self.id = id
        title = row["title"]?.string ?? ""
        let name = row["profile"]?.string ?? ScenarioProfile.dataProtectionIOS.rawValue
        guard let profile = ScenarioProfile(rawValue: name) else { throw Defect("unknown profile \"\(name)\"") }
        self.profile = profile
        guard case .array(let steps)? = row["steps"] else { throw Defect("no member \"steps\"") }
        self.steps = steps
        guard let call = row["call"] else { throw Defect("no member \"call\"") }
        self.call = call
        isBackground = row["background"] == .boolean(true)
        isContinuousIntegration = row["ci"] == .boolean(true)
        usedAs = row["usedAs"]?.string
        hasHistory = row["history"] == .boolean(true)
        previousGroups = row["previousGroups"]?.strings
        otherGroups = row["otherGroups"]?.strings
        fileKeychain = row["fileKeychain"]
        reportedStatus = row["reportedStatus"]
        guard case .object(let expectation)? = row["expect"] else { throw Defect("no member \"expect\"") }
        self.expectation = expectation
    }

    /// Reads the lines of a file, each a scenario or the reason why it is none.
    package static func load(_ url: URL) throws(Defect) -> [(line: Int, Result<Scenario, Defect>)] {
        guard let data = try? Data(contentsOf: url) else { throw Defect("\(url.path) cannot be read") }
        guard let text = String(data: data, encoding: .utf8) else { throw Defect("\(url.path) is not UTF-8") }
        return text.split(separator: "\n", omittingEmptySubsequences: false).enumerated().compactMap { index, line in
            guard line.contains(where: { !$0.isWhitespace }) else { return nil }
            return (index + 1, Result { () throws(Defect) in try parse(String(line)) })
        }
    }

    private static func parse(_ line: String) throws(Defect) -> Scenario {
        guard let json = try? JSONDecoder().decode(JSONValue.self, from: Data(line.utf8)) else {
            throw Defect("not a JSON object")
        }
        return try Scenario(json)
    }
}

extension JSONValue {
    /// A string, or the strings of an array; `nil` for anything else.
    var strings: [String]? {
        switch self {
        case .string(let text): [text]
        case .array(let elements): elements.compactMap(\.string)
        default: nil
        }
    }
}
