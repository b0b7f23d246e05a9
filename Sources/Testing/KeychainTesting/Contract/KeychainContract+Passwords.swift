// SPDX-License-Identifier: Apache-2.0

public import KeychainSimulation

extension KeychainContract {
    /// Checks a store of passwords against the contract.
    ///
    /// - Parameters:
    ///   - subject: creates a subject without passwords; evaluated once for each rule.
    ///   - platform: the platform of the device on which the subject is called.
    /// - Returns: the rules satisfied, broken and not run.
    /// - Throws: the errors of `subject`.
    public nonisolated(nonsending) static func report<Subject: PasswordStoreContractSubject>(
        of subject: @autoclosure () async throws -> Subject,
        on platform: VirtualDevice.Platform = .default
    ) async throws -> ContractReport {
        var report = ContractReport()
        for rule in PasswordStoreRule.all {
            let device = try makeDevice(platform)
            try await device.install(entitlements).run {
                let bench = PasswordStoreBench(store: try await subject(), device: device)
                do {
                    for requirement in rule.rule.requirements {
                        guard try await bench.has(requirement) else {
                            throw MissingRequirement(requirement: requirement)
                        }
                    }
                    try await rule.check(bench)
                    report.kept.append(rule.rule)
                } catch {
                    report.record(rule.rule, error)
                }
            }
        }
        return report
    }

    /// The rules that a store of passwords breaks.
    ///
    /// - Parameters:
    ///   - subject: creates a subject without passwords; evaluated once for each rule.
    ///   - platform: the platform of the device on which the subject is called.
    /// - Returns: one violation for each broken rule; none for a faithful subject.
    /// - Throws: the errors of `subject`.
    public nonisolated(nonsending) static func violations<Subject: PasswordStoreContractSubject>(
        of subject: @autoclosure () async throws -> Subject,
        on platform: VirtualDevice.Platform = .default
    ) async throws -> [ContractViolation] {
        try await report(of: try await subject(), on: platform).violations
    }
}
