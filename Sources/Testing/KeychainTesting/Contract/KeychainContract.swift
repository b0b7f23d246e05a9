// SPDX-License-Identifier: Apache-2.0

public import KeychainSimulation

/// The behaviour that a stand-in for the keychain must have for passing tests to be meaningful.
///
/// The contract is a table of named rules, for two kinds of subject: four functions that take dictionaries
/// (``SecItemContractSubject``), and a store of passwords by service and account (``PasswordStoreContractSubject``).
///
/// Each rule is run on a new subject, which must be empty: the expression that makes the subject is evaluated once for
/// each rule. It is evaluated, and the subject is called, as an app on a device that the suite makes, so that a subject
/// that calls `SecItem…` starts with an empty keychain as well.
///
/// ```swift
/// @Test func ourMockIsFaithful() throws {
///     try KeychainContract.expectFaithful(OurMock())
/// }
/// ```
public enum KeychainContract {
    /// The entitlements of the app that subjects run as.
    public static let entitlements = Entitlements(
        team: "TEAMID1234",
        bundleIdentifier: "com.example.app",
        keychainAccessGroups: ["com.example.app", "com.example.shared"]
    )

    /// A device for a rule, outside of the scope of the test: the failures of an `XCTestCase` would list its calls.
    static func makeDevice(_ platform: VirtualDevice.Platform) throws -> VirtualDevice {
        try TestScope.$ofTask.withValue(TestScope()) { try VirtualDevice(platform) }
    }

    /// The access group that an app stores in when it names none.
    public static var defaultAccessGroup: String { "TEAMID1234.com.example.app" }

    /// Another access group that the app may use.
    public static var sharedAccessGroup: String { "TEAMID1234.com.example.shared" }

    /// An access group that the app may not use.
    public static var foreignAccessGroup: String { "OTHERTEAM1.com.example.other" }

    /// The rules for four functions that take dictionaries.
    public static var secItemRules: [ContractRule] { SecItemRule.all.map(\.rule) }

    /// The rules for a store of passwords.
    public static var passwordStoreRules: [ContractRule] { PasswordStoreRule.all.map(\.rule) }
}
