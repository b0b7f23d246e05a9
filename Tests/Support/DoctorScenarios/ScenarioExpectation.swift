// SPDX-License-Identifier: Apache-2.0

import Conformance
import Foundation
import KeychainCore
import KeychainDoctor

/// Compares a report with what a scenario expects of it, and with what holds for every one.
struct ScenarioExpectation {
    private let scenario: Scenario

    init(_ scenario: Scenario) { self.scenario = scenario }

    private static let known: Set<String> = [
        "status", "verdict", "exit", "alsoContains", "names", "relaxations", "blastRadius", "neverAdvises", "warns",
        "maxMs",
    ]

    func mismatches(_ report: DoctorReport) -> [ScenarioRunner.Mismatch] {
        let json = report.json
        let expected = scenario.expectation
        var found: [ScenarioRunner.Mismatch] = []
        func check(_ what: String, _ isRight: Bool, expected: String, got: String) {
            if !isRight { found.append(.init(what: what, expected: expected, got: got)) }
        }
        for name in expected.keys where !Self.known.contains(name) {
            check("the row", false, expected: "known members of \"expect\"", got: "\"\(name)\"")
        }
        let statuses = Self.statuses(expected["status"])
        let replayed = json["status"]["replayed"].integer
        check(
            "status",
            statuses.contains { Int($0.rawValue) == replayed },
            expected: "\(statuses)",
            got: "\(report.replayed)"
        )
        let verdict = json["verdict"]["id"].string ?? ""
        check(
            "verdict",
            verdict == expected["verdict"]?.string,
            expected: expected["verdict"]?.string ?? "one",
            got: verdict
        )
        let exit = expected["exit"]?.integer ?? 0
        check("exit", Int(report.exitStatus) == exit, expected: "\(exit)", got: "\(report.exitStatus)")
        let also = json["verdict"]["also"].strings ?? []
        let alsoWanted = expected["alsoContains"]?.strings ?? []
        check("also", Set(alsoWanted).isSubset(of: also), expected: "\(alsoWanted)", got: "\(also)")
        if case .object(let names)? = expected["names"] {
            for (key, value) in names.sorted(by: { $0.key < $1.key }) {
                let got = json["verdict"]["names"][key].strings ?? []
                let wanted = key == "status" ? Self.statuses(value).map(\.description) : value.strings ?? []
                check("names.\(key)", Set(wanted) == Set(got), expected: "\(wanted)", got: "\(got)")
            }
        }
        if case .array(let relaxations)? = expected["relaxations"] {
            let drops = (json["relaxations"].elements ?? []).map { Set($0["drop"].strings ?? []) }
            for relaxation in relaxations {
                let wanted = relaxation.strings ?? []
                check(
                    "relaxations",
                    drops.contains(Set(wanted)),
                    expected: "\(wanted)",
                    got: "\(drops.map { $0.sorted() })"
                )
            }
        }
        if let count = expected["blastRadius"]?.integer {
            let got = json["blastRadius"]["count"].integer
            check("blastRadius", got == count, expected: "\(count)", got: got.map { "\($0)" } ?? "none")
        }
        checkAdvice(json, check)
        checkSecrets(report, check)
        if let maximum = expected["maxMs"]?.integer, !Self.isDebugBuild {
            let got = json["timing"]["ms"].integer ?? .max
            check("maxMs", got <= maximum, expected: "at most \(maximum)", got: "\(got)")
        }
        return found
    }

    private static var isDebugBuild: Bool {
        var isDebug = false
        assert(
            {
                isDebug = true
                return true
            }()
        )
        return isDebug
    }

    private typealias Check = (_ what: String, _ isRight: Bool, _ expected: String, _ got: String) -> Void

    private func checkAdvice(_ json: JSONValue, _ check: Check) {
        for word in scenario.expectation["neverAdvises"]?.strings ?? [] {
            for advice in json["advice"].elements ?? [] {
                let action = advice["action"].string ?? ""
                let function = advice["dictionaries"]["function"].string
                let isAdvised = action.hasPrefix(word) || word == "delete" && function == "SecItemDelete"
                check("neverAdvises", !isAdvised, "nothing to \(word)", "\(action) \(function ?? "")")
            }
        }
        let never = (json["never"].strings ?? []).map { $0.lowercased() }
        for word in scenario.expectation["warns"]?.strings ?? [] {
            check("warns", never.contains { $0.contains(word.lowercased()) }, word, "\(never)")
        }
        if json["verdict"]["id"].string == "ambiguous-intent" {
            let confidence = json["verdict"]["confidence"].number ?? 1
            check("confidence", confidence < 0.6, "below 0.6", "\(confidence)")
            check("questions", !(json["questions"].elements ?? []).isEmpty, "a question", "none")
        }
    }

    // MARK: - Secrets

    private func checkSecrets(_ report: DoctorReport, _ check: Check) {
        let texts = [
            ("JSON", report.json.indentedText), ("the report for people", report.humanText), ("HTML", report.html),
        ]
        let values = scenario.steps + [scenario.call, scenario.fileKeychain ?? .null]
        for secret in Set(values.flatMap(Self.secrets)) where secret.count >= 8 {
            let forms: [String?] = [
                String(data: secret, encoding: .utf8), secret.base64EncodedString(),
                secret.map { String(format: "%02x", $0) }.joined(), secret.map { String(format: "%02X", $0) }.joined(),
            ]
            for (name, text) in texts {
                let isSeen = forms.contains { $0.map { text.contains($0) } ?? false }
                check("secrets", !isSeen, "no secret in \(name)", "one of \(secret.count) bytes")
            }
        }
    }

    /// Every `kSecValueData` of a value.
    private static func secrets(_ json: JSONValue) -> [Data] {
        switch json {
        case .object(let members):
            members.flatMap { key, value -> [Data] in
                guard key == "kSecValueData", let text = value["data"].string ?? value.string else {
                    return secrets(value)
                }
                return [value["data"] == .null ? Data(text.utf8) : Data(base64Encoded: text) ?? Data()]
            }
        case .array(let elements): elements.flatMap(secrets)
        default: []
        }
    }

    private static func statuses(_ json: JSONValue?) -> [Status] {
        switch json {
        case .array(let elements)?: elements.compactMap { StatusName.status($0) }
        case let json?: StatusName.status(json).map { [$0] } ?? []
        case nil: [.success]
        }
    }
}
