// SPDX-License-Identifier: Apache-2.0

/// What came of holding a subject against the contract.
public struct ContractReport: Sendable, Hashable, CustomStringConvertible {
    /// The rules that the subject does not keep, and how.
    public internal(set) var violations: [ContractViolation] = []

    /// The rules that it keeps.
    public internal(set) var kept: [ContractRule] = []

    /// The rules that were not run, since the subject lacks what they need.
    public internal(set) var notRun: [ContractOmission] = []

    /// Whether the subject keeps every rule that was run.
    public var isFaithful: Bool { violations.isEmpty }

    /// How many rules are kept, broken and not run, and which.
    public var description: String {
        var lines = ["\(kept.count) rules kept, \(violations.count) broken, \(notRun.count) not run"]
        lines += violations.map(\.description)
        lines += notRun.map { "not run: \($0)" }
        return lines.joined(separator: "\n")
    }
}

/// Says of a subject of the contract that its functions may be called from several threads at once.
///
/// The rules about concurrency are run only for such subjects: they would crash a class that guards nothing.
public protocol ConcurrentContractSubject: Sendable {}
