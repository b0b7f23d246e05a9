// SPDX-License-Identifier: Apache-2.0

import KeychainCore

extension Checks {
    /// C13 to C18: what was before, the other keychain, the result, and what a change touches.
    func surroundingsChecks() -> [CheckResult] {
        [history(), keychainKind(), limitAndFlags(), blastRadius(), updateLegality(), entitlementDrift()]
    }

    private func history() -> CheckResult {
        guard examination.call.history != nil else {
            return CheckResult(.history, .unknown, reason: "no history was given")
        }
        guard examination.function != .add, let past = HistoryOfAnItem.diagnosis(examination) else {
            return CheckResult(.history, .pass)
        }
        return CheckResult(.history, .fail, reason: past.because.first)
    }

    private func keychainKind() -> CheckResult {
        guard examination.call.platform == .macOS else { return CheckResult(.keychainKind, .notApplicable) }
        guard let view = examination.fileKeychain else {
            return CheckResult(.keychainKind, .unknown, reason: "nothing is known of the file-based keychain")
        }
        let isElsewhere = near.contains { $0.difference(.keychain) != nil } || view.route.reachesFile
        return CheckResult(
            .keychainKind,
            isElsewhere ? .fail : .pass,
            reason: "the file-based keychain has \(view.matchCount)"
        )
    }

    private func limitAndFlags() -> CheckResult {
        guard examination.function == .copyMatching, let search else {
            return CheckResult(.limitAndFlags, .notApplicable)
        }
        guard let expected = examination.call.expectedResult else {
            return CheckResult(.limitAndFlags, .unknown, reason: "what the result is taken for was not given")
        }
        let fits = ResultKinds.of(search, examination.matches.first?.item).contains(expected) && !search.returns.isEmpty
        return CheckResult(.limitAndFlags, fits ? .pass : .fail, reason: "\(examination.matchCount) match")
    }

    private func blastRadius() -> CheckResult {
        guard [.update, .delete].contains(examination.function) else {
            return CheckResult(.blastRadius, .notApplicable)
        }
        let count = examination.touchedCount
        return CheckResult(.blastRadius, count > 1 ? .fail : .pass, reason: "\(count) \(count == 1 ? "item" : "items")")
    }

    private func updateLegality() -> CheckResult {
        guard examination.function == .update, let attributes = examination.call.attributes else {
            return CheckResult(.updateLegality, .notApplicable)
        }
        let isIllegal =
            attributes[AttributeName.accessControl.description] != nil
            || examination.explanation.effect?.conflicts.isEmpty == false
            || examination.explanation.faults.contains { $0.part == .attributes || $0.check == .returnKeys }
        return CheckResult(.updateLegality, isIllegal ? .fail : .pass)
    }

    private func entitlementDrift() -> CheckResult {
        guard let previous = examination.previousGroups?.groups else {
            return CheckResult(.entitlementDrift, .unknown, reason: "no previous entitlements were given")
        }
        let now = examination.client.accessGroups
        if previous == now { return CheckResult(.entitlementDrift, .pass) }
        let removed = previous.filter { !now.contains($0) }.map { ItemText.name($0) }
        let text = removed.isEmpty ? "the order changed" : "removed: \(removed.joined(separator: ", "))"
        return CheckResult(.entitlementDrift, .fail, reason: text)
    }

    /// C19 to C22: references, identities, values, and what is left when predicates go.
    func remainingChecks() -> [CheckResult] {
        [references(), identityFormation(), valueState(), duplicatesAfterRelaxation()]
    }

    private func references() -> CheckResult {
        guard let search, search.terms.contains(where: { $0.key == PropertyKey.valuePersistentReference }) else {
            return CheckResult(.references, .notApplicable)
        }
        return CheckResult(.references, examination.nearMisses?.near.isEmpty ?? true ? .fail : .pass)
    }

    private func identityFormation() -> CheckResult {
        guard let search, search.itemClass == .identity else { return CheckResult(.identityFormation, .notApplicable) }
        let lone = search.loneHalves.map(\.itemClass.rawValue)
        let isFailing = examination.matchCount == 0 && !lone.isEmpty
        return CheckResult(
            .identityFormation,
            isFailing ? .fail : .pass,
            reason: lone.isEmpty ? nil : "in no pair: \(lone.joined(separator: ", "))"
        )
    }

    private func valueState() -> CheckResult {
        let states = near.map(\.item.condition)
        if states.contains(where: \.isDamage) {
            let damaged = names(where: \.item.condition.isDamage)
            return CheckResult(.valueState, .fail, evidence: damaged, reason: "an item does not open")
        }
        return CheckResult(.valueState, states.contains(.locked) ? .unknown : .pass)
    }

    private func duplicatesAfterRelaxation() -> CheckResult {
        guard let nearMisses = examination.nearMisses else {
            return CheckResult(.duplicatesAfterRelaxation, .notApplicable)
        }
        let isFailing = examination.matchCount == 0 && !nearMisses.relaxations.isEmpty
        return CheckResult(.duplicatesAfterRelaxation, isFailing ? .fail : .pass)
    }
}

extension ExplainedItem.Condition {
    fileprivate var isDamage: Bool {
        switch self {
        case .damaged, .quarantined: true
        case .open, .locked, .destroyed: false
        }
    }
}
