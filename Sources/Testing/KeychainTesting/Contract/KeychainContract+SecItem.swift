// SPDX-License-Identifier: Apache-2.0

public import KeychainSimulation

extension KeychainContract {
    /// Checks four functions that take dictionaries against the contract.
    ///
    /// - Parameters:
    ///   - subject: creates a subject without items; evaluated once for each rule.
    ///   - platform: the platform of the device on which the subject is called.
    /// - Returns: the rules satisfied, broken and not run.
    /// - Throws: the errors of `subject`.
    public static func report<Subject: SecItemContractSubject>(
        of subject: @autoclosure () throws -> Subject,
        on platform: VirtualDevice.Platform = .default
    ) throws -> ContractReport {
        var report = ContractReport()
        for rule in SecItemRule.all {
            let device = try makeDevice(platform)
            try device.install(entitlements).run {
                let bench = SecItemBench(subject: try subject(), device: device)
                if let missing = rule.rule.requirements.first(where: { !bench.has($0) }) {
                    return report.notRun.append(ContractOmission(rule: rule.rule, missing: missing))
                }
                do {
                    try rule.check(bench)
                    report.kept.append(rule.rule)
                } catch {
                    report.record(rule.rule, error)
                }
            }
        }
        return report
    }

    /// The rules that four functions break.
    ///
    /// - Parameters:
    ///   - subject: creates a subject without items; evaluated once for each rule.
    ///   - platform: the platform of the device on which the subject is called.
    /// - Returns: one violation for each broken rule; none for a faithful subject.
    /// - Throws: the errors of `subject`.
    public static func violations<Subject: SecItemContractSubject>(
        of subject: @autoclosure () throws -> Subject,
        on platform: VirtualDevice.Platform = .default
    ) throws -> [ContractViolation] {
        try report(of: try subject(), on: platform).violations
    }
}

extension ContractReport {
    /// Records what a rule threw.
    mutating func record(_ rule: ContractRule, _ error: any Error) {
        if let missing = error as? MissingRequirement {
            return notRun.append(ContractOmission(rule: rule, missing: missing.requirement))
        }
        let mismatch = error as? ContractMismatch
        violations.append(
            ContractViolation(
                rule: rule,
                call: mismatch?.call ?? "the subject",
                expected: mismatch?.expected ?? "no error",
                got: mismatch?.got ?? "\(error)",
                consequence: mismatch.map { $0.consequence ?? rule.consequence }
                    ?? ContractMismatch.consequenceOfRefusal,
                explanation: mismatch?.explanation
            )
        )
    }
}
