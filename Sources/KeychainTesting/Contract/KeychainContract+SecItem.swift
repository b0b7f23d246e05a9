// SPDX-License-Identifier: Apache-2.0

public import KeychainSimulation

extension KeychainContract {
    /// Holds four functions that take dictionaries against the contract.
    ///
    /// - Parameters:
    ///   - subject: makes a subject that has no items; evaluated once for each rule.
    ///   - platform: what the device is that the subject is called on.
    /// - Returns: the rules kept, broken and not run.
    /// - Throws: what `subject` throws.
    public static func report<Subject: SecItemContractSubject>(
        of subject: @autoclosure () throws -> Subject,
        on platform: VirtualDevice.Platform = .iOS
    ) throws -> ContractReport {
        var report = ContractReport()
        for rule in SecItemRule.all {
            try VirtualDevice(platform).install(entitlements).run {
                let subject = try subject()
                let isRun =
                    switch rule.rule.requirement {
                    case .concurrency: subject is any ConcurrentContractSubject
                    case .iOS: platform != .macOS
                    default: true
                    }
                guard isRun else { return report.notRun.append(rule.rule) }
                report.note(rule.rule, try rule.check(SecItemBench(subject: subject, platform: platform)))
            }
        }
        return report
    }

    /// The rules that four functions break.
    ///
    /// - Parameters:
    ///   - subject: makes a subject that has no items; evaluated once for each rule.
    ///   - platform: what the device is that the subject is called on.
    /// - Returns: one violation for each rule that is not kept; none for a faithful subject.
    /// - Throws: what `subject` throws.
    public static func violations<Subject: SecItemContractSubject>(
        of subject: @autoclosure () throws -> Subject,
        on platform: VirtualDevice.Platform = .iOS
    ) throws -> [ContractViolation] {
        try report(of: try subject(), on: platform).violations
    }
}

extension ContractReport {
    /// Notes what came of a rule.
    mutating func note(_ rule: ContractRule, _ check: @autoclosure () throws -> Void) {
        do { try check() } catch { return note(rule, error) }
        kept.append(rule)
    }

    mutating func note(_ rule: ContractRule, _ error: any Error) {
        let mismatch = error as? ContractMismatch
        violations.append(
            ContractViolation(
                rule: rule,
                call: mismatch?.call ?? "the subject",
                expected: mismatch?.expected ?? "no error",
                got: mismatch?.got ?? "\(error)",
                consequence: mismatch?.isRefusal ?? true ? ContractMismatch.consequenceOfRefusal : rule.consequence,
                explanation: mismatch?.explanation
            )
        )
    }
}
