// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainServices

/// The entitlements in the signature of an app, as far as they concern the keychain.
///
/// Values that no signature can contain, such as a team with a dot, are refused when the app is installed: see
/// ``problems(on:)``.
public struct Entitlements: Sendable, Hashable {
    /// The team's identifier, without a dot, such as `ABCDE12345`; the prefix of its groups.
    public var team: String

    /// The app's bundle identifier.
    public var bundleIdentifier: String

    /// The app's keychain access groups in their order, without the team's prefix (`keychain-access-groups`).
    ///
    /// `com.apple.token` is the one group that has no prefix.
    public var keychainAccessGroups: [String]

    /// The app groups, which begin with `group.` (`com.apple.security.application-groups`).
    public var applicationGroups: [String]

    /// The kind of program that is entitled.
    public var kind: Kind

    /// Entitlements of an app.
    public init(
        team: String,
        bundleIdentifier: String,
        keychainAccessGroups: [String] = [],
        applicationGroups: [String] = [],
        kind: Kind = .app
    ) {
        self.team = team
        self.bundleIdentifier = bundleIdentifier
        self.keychainAccessGroups = keychainAccessGroups
        self.applicationGroups = applicationGroups
        self.kind = kind
    }

    /// The entitlements of an app that has none but a bundle identifier and a team.
    public static let example = Entitlements(team: "TEAMID1234", bundleIdentifier: "com.example.app")

    /// The application identifier: the bundle identifier with the team's prefix.
    public var applicationIdentifier: String { "\(team).\(bundleIdentifier)" }

    /// The access groups in their order; an add stores in the first one (Semantics, "Access groups").
    public var accessGroups: [String] {
        AccessGroupOrder.groups { key, _ in groups[key] ?? [] }
    }

    /// The kind of program, as far as the keychain distinguishes it (Semantics, "Access groups").
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// An app, or an extension of one.
        case app
        /// An app clip: it may use its own application identifier only, and store nothing synchronizable.
        case appClip
        /// A network extension: it may use any group that ends in `com.apple.networkextensionsharing`.
        case networkExtension
    }
}
