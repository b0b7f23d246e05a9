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

    /// What comes of it: what the rule says, or, where the subject refused what a keychain does, that.
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
    /// Whether the subject refused what a keychain does: what the rule says of subjects that do too much is not true of
    /// it then.
    var isRefusal = false

    static let consequenceOfRefusal =
        "code that works on a device fails with the stand-in, here and wherever it calls this"
}
