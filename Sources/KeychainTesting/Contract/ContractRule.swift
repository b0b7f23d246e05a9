// SPDX-License-Identifier: Apache-2.0

/// One thing that a faithful keychain does.
public struct ContractRule: Sendable, Hashable, Identifiable, CustomStringConvertible {
    /// The name, by which a test pins or excepts the rule; unique among the rules for one shape of subject.
    public let name: String

    /// What a faithful keychain does.
    public let statement: String

    /// How an unfaithful keychain shows: what a team's users meet, and the team's tests do not.
    public let consequence: String

    /// Where the behaviour is documented.
    public let source: String

    /// What the rule needs of a subject besides the ordinary functions.
    public let requirements: [Requirement]

    /// What not every subject has.
    public enum Requirement: String, Sendable, Hashable, CaseIterable {
        /// It may be called from several threads at once; see ``ConcurrentContractSubject``.
        case concurrency
        /// It stores in access groups; see ``GroupedPasswordStoreContractSubject``.
        case accessGroups
        /// It adds without replacing; see ``AddingPasswordStoreContractSubject``.
        case adding
        /// It lists what it keeps; see ``ListingPasswordStoreContractSubject``.
        case listing
        /// It deletes many at once; see ``ClearingPasswordStoreContractSubject``.
        case clearing
        /// It keeps what it is given in the keychain of the device that the suite makes, so that the device can be
        /// locked, and at a level that the lock makes unreadable.
        case device
        /// The front end of iOS, which refuses what the one of macOS passes over.
        case iOS

        /// What it is, in words.
        var text: String {
            switch self {
            case .concurrency: "ConcurrentContractSubject"
            case .accessGroups: "GroupedPasswordStoreContractSubject"
            case .adding: "AddingPasswordStoreContractSubject"
            case .listing: "ListingPasswordStoreContractSubject"
            case .clearing: "ClearingPasswordStoreContractSubject"
            case .device: "a store in the keychain of a device whose lock makes it unreadable"
            case .iOS: "the front end of iOS"
            }
        }
    }

    /// The name.
    public var id: String { name }

    /// The name and the statement.
    public var description: String { "\(name): \(statement)" }
}

/// A rule that was not run, since the subject lacks something that the rule needs.
public struct ContractOmission: Sendable, Hashable, CustomStringConvertible {
    /// The rule.
    public let rule: ContractRule

    /// What the subject lacks.
    public let missing: ContractRule.Requirement

    /// The name of the rule, and what it needs.
    public var description: String { "\(rule.name) (needs \(missing.text))" }
}
