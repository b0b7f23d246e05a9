// SPDX-License-Identifier: Apache-2.0

import KeychainCore

extension Checks {
    /// C10, C11 and C12: keys, access controls and the primary key.
    func itemChecks() -> [CheckResult] {
        [dataProtection(), fails(.accessControl, where: \.isGuarded), primaryKey()]
    }

    private func dataProtection() -> CheckResult {
        let device = examination.explanation.device
        let away = names(where: \.isLockedAway)
        let cannotStore = examination.explanation.additions.contains { addition in
            addition.attributes.protection.map { !device.availableLevels.contains($0) } ?? false
        }
        let isFailing = !away.isEmpty || cannotStore
        return CheckResult(
            .dataProtection,
            isFailing ? .fail : .pass,
            evidence: away,
            reason: "the device is \(device.lockState.rawValue)"
        )
    }

    private func primaryKey() -> CheckResult {
        guard [.add, .update].contains(examination.function) else { return CheckResult(.primaryKey, .notApplicable) }
        guard let holder = examination.explanation.holder else { return CheckResult(.primaryKey, .pass) }
        return CheckResult(.primaryKey, .fail, reason: "held by \(ItemText.short(holder))")
    }
}
