// SPDX-License-Identifier: Apache-2.0

/// A rule that a subject does not keep.
public struct ContractViolation: Sendable, Hashable, CustomStringConvertible {
    /// The rule.
    public let rule: ContractRule

    /// What was called, with its attributes; of secrets only the length.
    public let call: String

    /// What a faithful keychain answers.
    public let expected: String

    /// What the subject answered.
    public let got: String

    /// What comes of it: what the rule says, or, where the subject refused what a keychain does, or refused it
    /// otherwise, that.
    public let consequence: String

    /// Why a faithful keychain refuses what the subject did, in the words of `keychainctl doctor`.
    ///
    /// It names the item that is in the way, or the attribute that rules the item out. `nil` for other violations.
    public let explanation: String?

    /// What was expected and what came instead, and what comes of it.
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

/// What a rule throws at the first answer that is not as it says.
struct ContractMismatch: Error {
    let call: String
    let expected: String
    let got: String
    /// Why a faithful keychain refuses the call, where it does.
    var explanation: String?
    /// What comes of it, where it is not what the rule says: the rule speaks of subjects that do too much.
    var consequence: String?

    /// That of a subject that refused what a keychain does.
    static let consequenceOfRefusal =
        "code that works on a device fails with the stand-in, here and wherever it calls this"

    /// That of a subject that refused as a keychain does, with another status.
    static let consequenceOfOtherStatus =
        "code that tells one failure from another takes another path with the stand-in than on a device"
}

/// What a rule throws when it finds that the subject lacks what it needs.
struct MissingRequirement: Error {
    let requirement: ContractRule.Requirement
}
