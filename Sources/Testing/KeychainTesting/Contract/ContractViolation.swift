// SPDX-License-Identifier: Apache-2.0

/// A rule that a subject breaks.
public struct ContractViolation: Sendable, Hashable, CustomStringConvertible {
    /// The rule.
    public let rule: ContractRule

    /// The call, with its attributes; for secrets only the length.
    public let call: String

    /// The result of a faithful keychain.
    public let expected: String

    /// The result of the subject.
    public let got: String

    /// The consequence: that of the rule, unless the subject refused a call that a keychain accepts, or refused it with
    /// another status.
    public let consequence: String

    /// Why a faithful keychain refuses the call, in the words of `keychainctl doctor`.
    ///
    /// It names the conflicting item, or the attribute that excludes the item. `nil` for other violations.
    public let explanation: String?

    /// The expected result, the subject's result, and the consequence.
    public var description: String {
        let why = explanation.map { text in
            "\n  why:      "
                + text.split(separator: "\n", omittingEmptySubsequences: false)
                .joined(separator: "\n            ")
        }
        return """
            not a faithful keychain: \(rule.name)
              the rule: \(rule.statement)
              called:   \(call)
              expected: \(expected)
              got:      \(got)
              so that:  \(consequence)
              source:   \(rule.source)\(why ?? "")
            """
    }
}

/// Thrown by a rule at the first answer that breaks it.
struct ContractMismatch: Error {
    let call: String
    let expected: String
    let got: String
    /// Why a faithful keychain refuses the call, if it does.
    var explanation: String?
    /// The consequence, if it differs from that of the rule, which describes subjects that accept too much.
    var consequence: String?

    /// The consequence for a subject that refused what a keychain accepts.
    static let consequenceOfRefusal =
        "code that works on a device fails with the stand-in, here and wherever it calls this"

    /// The consequence for a subject that refused with another status than a keychain.
    static let consequenceOfOtherStatus =
        "code that tells one failure from another takes another path with the stand-in than on a device"
}

/// Thrown by a rule that finds that the subject lacks what it needs.
struct MissingRequirement: Error {
    let requirement: ContractRule.Requirement
}
