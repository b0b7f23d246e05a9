// SPDX-License-Identifier: Apache-2.0

/// A rule for four functions that take dictionaries, and how it is checked.
struct SecItemRule: Sendable {
    let rule: ContractRule
    let check: @Sendable (SecItemBench) throws -> Void

    init(
        _ name: String,
        _ statement: String,
        otherwise consequence: String,
        source: String,
        needs requirements: ContractRule.Requirement...,
        check: @escaping @Sendable (SecItemBench) throws -> Void
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

    static let all =
        keys + refusals + updates + collisions + deletions + results + secrets + searches + synchronization + values
        + attributes + groups + validation + references + concurrency + whileLocked
}
