// SPDX-License-Identifier: Apache-2.0

/// A behaviour of the keychain that a faithful stand-in has.
public struct ContractRule: Sendable, Hashable, Identifiable, CustomStringConvertible {
    /// The name, by which a test selects or exempts the rule; unique among the rules for one kind of subject.
    public let name: String

    /// The behaviour of a faithful keychain.
    public let statement: String

    /// The consequence of an unfaithful stand-in: what users experience although the tests pass.
    public let consequence: String

    /// The documentation of the behaviour.
    public let source: String

    /// The requirements of the rule on a subject, besides the ordinary functions.
    public let requirements: [Requirement]

    /// A capability that not every subject has.
    public enum Requirement: String, Sendable, Hashable, CaseIterable {
        /// It may be called from several threads at once; see ``ConcurrentContractSubject``.
        case concurrency
        /// It stores in access groups; see ``GroupedPasswordStoreContractSubject``.
        case accessGroups
        /// It adds without replacing; see ``AddingPasswordStoreContractSubject``.
        case adding
        /// It lists what it keeps; see ``ListingPasswordStoreContractSubject``.
        case listing
        /// It deletes many items at once; see ``ClearingPasswordStoreContractSubject``.
        case clearing
        /// It stores in the keychain of the suite's device, at a level that is unreadable while the device is locked.
        case device
        /// The front end of iOS, which refuses what that of macOS ignores.
        case iOS

        /// A description.
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

/// A rule that was not run, because the subject lacks a capability that the rule needs.
public struct ContractOmission: Sendable, Hashable, CustomStringConvertible {
    /// The rule.
    public let rule: ContractRule

    /// The missing capability of the subject.
    public let missing: ContractRule.Requirement

    /// The name of the rule, and what it needs.
    public var description: String { "\(rule.name) (needs \(missing.text))" }
}
