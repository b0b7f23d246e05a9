// SPDX-License-Identifier: Apache-2.0

public import Testing

/// An event that happens to the keychains of real users, and that a test can play.
///
/// A test is run once for each scenario: it calls the team's own code before and after the event.
///
/// ```swift
/// @Test(arguments: Scenario.all)
/// func tokenSurvives(_ scenario: Scenario) throws {
///     try scenario.play {
///         try TokenStore().save("t")
///     } afterwards: {
///         switch scenario.expectation {
///         case .isThere: try #expect(TokenStore().load() == "t")
///         case .isUnreadableForNow: #expect(throws: TokenStore.Locked.self) { try TokenStore().load() }
///         default: try #expect(TokenStore().load() == nil)
///         }
///     }
/// }
/// ```
public struct Scenario: Sendable, Hashable, Identifiable, CustomTestStringConvertible {
    /// A short name, unique among the scenarios.
    public let name: String

    /// What happens to real users.
    public let story: String

    /// What incorrect code usually does then.
    public let usualMistake: String

    /// What correct code does.
    public let advice: String

    /// Where the behaviour is documented.
    public let source: String

    let event: Event

    /// What happens.
    enum Event: String, Sendable, Hashable, CaseIterable {
        case lock, reboot, otherAttributes, lessEntitlements, otherTeam, noPasscode, otherBiometry, otherDevice
        case reinstallation
    }

    /// The name.
    public var id: String { name }

    /// The name.
    public var testDescription: String { name }
}

extension Scenario: CustomStringConvertible {
    /// The name.
    public var description: String { name }
}
