// SPDX-License-Identifier: Apache-2.0

import Conformance
import KeychainDoctor
import KeychainTestSupport

/// A call that works, with one of the known mistakes seeded into it; the doctor must name that mistake first.
package struct RandomScenario: Sendable {
    package let mistake: Mistake
    package let scenario: Scenario

    /// The scenario of a seed; every mistake has its turn.
    package init(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        mistake = Mistake.allCases[Int(seed % UInt64(Mistake.allCases.count))]
        var draft = ScenarioDraft(&generator)
        mistake.seed(into: &draft)
        scenario = draft.scenario(seed, mistake)
    }

    /// What became of many seeds.
    package struct Tally: Sendable {
        package private(set) var counts: [Mistake: (named: Int, all: Int)] = [:]
        /// What the doctor said instead, one line for each.
        package private(set) var misses: [String] = []

        package init(seeds: Range<UInt64>) {
            let runner = ScenarioRunner()
            for seed in seeds {
                let random = RandomScenario(seed: seed)
                let verdict = (try? runner.report(random.scenario).diagnosis.verdict.rawValue) ?? "no report"
                let isNamed = verdict == random.mistake.verdict
                let (named, all) = counts[random.mistake] ?? (0, 0)
                counts[random.mistake] = (named + (isNamed ? 1 : 0), all + 1)
                if !isNamed { misses.append("seed \(seed), \(random.mistake.rawValue): \(verdict)") }
            }
        }

        /// How many of a hundred were named.
        package var percentage: Double {
            let named = counts.values.reduce(0) { $0 + $1.named }
            return 100 * Double(named) / Double(max(1, counts.values.reduce(0) { $0 + $1.all }))
        }

        /// A line for each mistake.
        package var table: [String] {
            Mistake.allCases.compactMap { mistake in
                counts[mistake].map { "\($0.named)/\($0.all)  \(mistake.rawValue) (\(mistake.verdict))" }
            }
        }
    }
}

/// The known mistakes, each a small change of a call that works.
package enum Mistake: String, Sendable, CaseIterable {
    case none = "no mistake"
    case label = "a label too much"
    case letterCase = "the account in another letter case"
    case space = "a space behind the service"
    case twoAttributes = "a label and a comment too much"
    case otherClass = "another class"
    case otherGroup = "another group of the list"
    case foreignGroup = "a group that the client does not have"
    case removedGroup = "a group that left the list"
    case synchronizable = "synchronizable forgotten"
    case locked = "read while locked"
    case beforeFirstUnlock = "read before the first unlock"
    case background = "a guarded item in the background"
    case lockedAdd = "stored while locked"
    case prefix = "a group without its prefix"
    case unsupported = "an attribute of another class"
    case limitInDelete = "a limit in a delete"
    case returnInUpdate = "a return flag in an update"
    case duplicate = "added twice"
    case missedLookUp = "looked up by a label, then added"
    case deleted = "deleted by service"
    case dangling = "a reference kept over a delete"
    case noFlag = "no return flag"
    case wrongCast = "two flags, cast to data"
    case wideDelete = "deleted by service alone"
    case anyOfThree = "one of three asked for"
    case ignoredUpdate = "an update that sets nothing"
    case neverStored = "nothing stored"
    case biometry = "another finger enrolled"

    /// The verdict that names it.
    package var verdict: String {
        switch self {
        case .none: "nothing-wrong"
        case .label: "attribute-narrows"
        case .letterCase, .space: "attribute-format"
        case .twoAttributes: "attributes-narrow"
        case .otherClass: "class-mismatch"
        case .otherGroup: "group-excluded-by-query"
        case .foreignGroup: "group-not-entitled"
        case .removedGroup: "old-group-removed"
        case .synchronizable: "sync-scope"
        case .locked: "locked-level-too-strict"
        case .beforeFirstUnlock: "before-first-unlock"
        case .background: "acl-needs-user"
        case .lockedAdd: "locked-write"
        case .prefix: "group-prefix-missing"
        case .unsupported: "attribute-not-in-class"
        case .limitInDelete, .returnInUpdate: "query-invalid"
        case .duplicate: "duplicate-exists"
        case .missedLookUp: "duplicate-non-key-lookup"
        case .deleted: "was-deleted"
        case .dangling: "dangling-reference"
        case .noFlag: "no-return-type"
        case .wrongCast: "result-type-mismatch"
        case .wideDelete: "delete-scope-too-wide"
        case .anyOfThree: "ambiguous-match"
        case .ignoredUpdate: "update-zero-visible-change"
        case .neverStored: "never-stored"
        case .biometry: "biometry-changed"
        }
    }
}
