// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// The checks that every report lists; the trees combine the same facts.
struct Checks {
    let examination: Examination

    init(_ examination: Examination) { self.examination = examination }

    /// Every check, in the order of the numbers.
    func results() -> [CheckResult] {
        let results =
            requestChecks() + searchChecks() + itemChecks() + surroundingsChecks() + remainingChecks()
        guard examination.call.hasUnknownPredicates else { return results }
        // A check that depends on every predicate of the query is unknown if one is omitted.
        return results.map { result in
            Self.ofPredicates.contains(result.id) && result.outcome != .notApplicable
                ? CheckResult(result.id, .unknown, reason: "a value of the query is not known") : result
        }
    }

    private static let ofPredicates: Set<CheckID> = [
        .classRight, .visibleCandidates, .attributeDifference, .otherClass, .primaryKey, .limitAndFlags, .blastRadius,
        .duplicatesAfterRelaxation,
    ]

    var search: ExplainedSearch? { examination.explanation.search }
    var near: [Candidate] { Array((examination.nearMisses?.near ?? []).prefix(DoctorReport.maximumNearMisses)) }

    /// The names of the listed near items that satisfy a condition.
    func names(where isSo: (Candidate) -> Bool) -> [String] {
        near.enumerated().filter { isSo($0.element) }.map { "m\($0.offset + 1)" }
    }

    /// Fails with the near items that satisfy a condition.
    func fails(_ id: CheckID, where isSo: (Candidate) -> Bool) -> CheckResult {
        guard search != nil else { return CheckResult(id, .notApplicable) }
        let found = names(where: isSo)
        return CheckResult(id, found.isEmpty ? .pass : .fail, evidence: found)
    }
}

/// A check; the raw value is its code in reports.
package enum CheckID: String, Sendable, CaseIterable {
    case queryWellFormed = "C01"
    case classRight = "C02"
    case attributeSupported = "C03"
    case effectiveGroups = "C04"
    case visibleCandidates = "C05"
    case attributeDifference = "C06"
    case otherClass = "C07"
    case otherGroup = "C08"
    case synchronizableScope = "C09"
    case dataProtection = "C10"
    case accessControl = "C11"
    case primaryKey = "C12"
    case history = "C13"
    case keychainKind = "C14"
    case limitAndFlags = "C15"
    case blastRadius = "C16"
    case updateLegality = "C17"
    case entitlementDrift = "C18"
    case references = "C19"
    case identityFormation = "C20"
    case valueState = "C21"
    case duplicatesAfterRelaxation = "C22"

    /// A description of the check.
    package var name: String {
        "\(self)".reduce(into: "") { $0 += $1.isUppercase ? " \($1.lowercased())" : "\($1)" }
    }
}

/// The result of a check.
package struct CheckResult: Sendable {
    package let id: CheckID
    package let outcome: Outcome
    /// The names of near items.
    package let evidence: [String]
    /// The reason, if it does not concern items; values are marked for ``Redaction``.
    package let reason: String?

    init(_ id: CheckID, _ outcome: Outcome, evidence: [String] = [], reason: String? = nil) {
        self.id = id
        self.outcome = outcome
        self.evidence = evidence
        self.reason = reason
    }

    /// The outcomes; raw values are their names in reports.
    package enum Outcome: String, Sendable, CaseIterable {
        case pass
        case fail
        case unknown
        case notApplicable = "n/a"
    }
}
