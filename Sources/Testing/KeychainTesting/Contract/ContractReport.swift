// SPDX-License-Identifier: Apache-2.0

/// The result of checking a subject against the contract.
public struct ContractReport: Sendable, Hashable, CustomStringConvertible {
    /// The rules that the subject breaks, and how.
    public internal(set) var violations: [ContractViolation] = []

    /// The rules that it satisfies.
    public internal(set) var kept: [ContractRule] = []

    /// The rules that were not run, because the subject lacks what they need.
    public internal(set) var notRun: [ContractOmission] = []

    /// Whether the subject satisfies every rule that was run.
    public var isFaithful: Bool { violations.isEmpty }

    /// How many rules were satisfied, broken and not run, and which.
    public var description: String {
        var lines = ["\(kept.count) rules kept, \(violations.count) broken, \(notRun.count) not run"]
        lines += violations.map(\.description)
        lines += notRun.map { "not run: \($0)" }
        return lines.joined(separator: "\n")
    }
}

/// Declares that the functions of a subject may be called from several threads at once.
///
/// The rules about concurrency are run only for such subjects: a class without locks would crash.
public protocol ConcurrentContractSubject: Sendable {}
