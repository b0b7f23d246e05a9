// SPDX-License-Identifier: Apache-2.0

import KeychainTesting
import Testing

extension Trait where Self == KeychainTrait {
    /// A device of the test's own, with its keychain in a file, on which the field's code runs as an app with two
    /// groups.
    static var fieldApp: Self { .keychain(storage: .file, entitlements: .fieldApp) }
}

extension Entitlements {
    /// Those of the app that the field's code runs as.
    static let fieldApp = Entitlements(
        team: "TEAMID1234",
        bundleIdentifier: "com.example.fieldcode",
        keychainAccessGroups: ["com.example.fieldcode", "com.example.shared"]
    )
}

/// A service name for a test.
func service(_ name: String) -> String { "com.example.fieldcode.\(name)" }

/// Runs a test with a service name.
func withScratchService(_ name: String, _ body: (String) throws -> Void) throws { try body(service(name)) }

/// As above, for tests that wait.
func withScratchService(_ name: String, _ body: (String) async throws -> Void) async throws {
    try await body(service(name))
}
