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

    /// The event as real users experience it.
    public let story: String

    /// The usual mistake in incorrect code.
    public let usualMistake: String

    /// The behaviour of correct code.
    public let advice: String

    /// The documentation of the behaviour.
    public let source: String

    let event: Event

    /// The kind of event.
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
