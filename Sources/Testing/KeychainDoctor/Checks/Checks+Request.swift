// SPDX-License-Identifier: Apache-2.0

import KeychainCore

extension Checks {
    /// C01, C02, C03 and C04: the dictionaries.
    func requestChecks() -> [CheckResult] {
        let faults = examination.explanation.faults
        let malformed = faults.filter { !Self.ofOthers.contains($0.check) }
        let unsupported = faults.filter { $0.check == .attributeName }
        return [
            CheckResult(
                .queryWellFormed,
                malformed.isEmpty ? .pass : .fail,
                reason: Self.reason(malformed, examination)
            ),
            classRight(),
            CheckResult(
                .attributeSupported,
                unsupported.isEmpty ? .pass : .fail,
                reason: Self.reason(unsupported, examination)
            ),
            effectiveGroups(),
        ]
    }

    /// The faults that C03 and C04 report.
    private static let ofOthers: Set<RequestCheck> = [.attributeName, .accessGroup, .clientGroups, .writableGroups]

    private static func reason(_ faults: [ExplainedFault], _ examination: Examination) -> String? {
        let keys = faults.flatMap { InvalidQuery.entries(of: $0, examination.call) }
        return keys.isEmpty ? nil : keys.joined(separator: ", ")
    }

    private func classRight() -> CheckResult {
        guard let search else { return CheckResult(.classRight, .notApplicable) }
        let others = search.patterns.filter { $0.itemClass != search.itemClass && $0.failed == [0] }
        if examination.matchCount > 0 || others.isEmpty { return CheckResult(.classRight, .pass) }
        let counts = others.map { "\($0.itemClass.rawValue): \($0.count)" }.sorted().joined(separator: ", ")
        return CheckResult(.classRight, .fail, reason: "other classes have items that match otherwise: \(counts)")
    }

    private func effectiveGroups() -> CheckResult {
        let faults = examination.explanation.faults.filter {
            Self.ofOthers.contains($0.check) && $0.check != .attributeName
        }
        guard faults.isEmpty else { return CheckResult(.effectiveGroups, .fail, reason: faults[0].error.reason) }
        if examination.call.clientSource == .assumed {
            return CheckResult(.effectiveGroups, .unknown, reason: "the client was not given")
        }
        let standard = examination.explanation.groups.default.map { "the default group is \(ItemText.name($0))" }
        return CheckResult(.effectiveGroups, .pass, reason: standard)
    }
}
