// SPDX-License-Identifier: Apache-2.0

import KeychainCore

extension Checks {
    /// C05 to C09: which items a query rules out, and by what.
    func searchChecks() -> [CheckResult] {
        [
            visibleCandidates(),
            fails(.attributeDifference) { !$0.attributeDifferences.isEmpty },
            fails(.otherClass) { $0.difference(.itemClass) != nil },
            fails(.otherGroup) { $0.difference(.excludedGroup) != nil || $0.difference(.foreignGroup) != nil },
            fails(.synchronizableScope) { $0.difference(.synchronizable) != nil },
        ]
    }

    private func visibleCandidates() -> CheckResult {
        guard search != nil else { return CheckResult(.visibleCandidates, .notApplicable) }
        let visible = names { $0.isVisible && $0.difference(.itemClass) == nil }
        return CheckResult(.visibleCandidates, examination.matchCount > 0 ? .pass : .fail, evidence: visible)
    }
}
