// SPDX-License-Identifier: Apache-2.0

/// A rule for a store of passwords, and how it is checked.
struct PasswordStoreRule: Sendable {
    let rule: ContractRule
    let check: Check

    typealias Check = nonisolated(nonsending) @Sendable (PasswordStoreBench) async throws -> Void

    init(
        _ name: String,
        _ statement: String,
        otherwise consequence: String,
        source: String,
        needs requirements: ContractRule.Requirement...,
        check: @escaping Check
    ) {
        rule = ContractRule(
            name: name,
            statement: statement,
            consequence: consequence,
            source: source,
            requirements: requirements
        )
        self.check = check
    }

    static let all = keys + values + changes + capabilities + whileLocked
}
