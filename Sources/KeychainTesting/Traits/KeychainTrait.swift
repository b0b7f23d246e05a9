// SPDX-License-Identifier: Apache-2.0

public import KeychainSimulation
public import Testing

/// Gives each test a device of its own, and runs it as an app on it.
///
/// On a suite it counts for each of its tests, those of suites within it too; a test or suite with a trait of its own has that
/// device instead. Each case of a test with arguments has a device of its own. When the test fails, its issues tell the calls
/// that the device saw, without secrets.
public struct KeychainTrait: TestTrait, SuiteTrait, TestScoping {
    let isProcessWide: Bool
    let entitlements: Entitlements
    let makeDevice: @Sendable () throws -> VirtualDevice

    /// A trait of a suite counts for each of its tests.
    public var isRecursive: Bool { true }

    /// Makes the device, and runs the test as its app.
    public func provideScope(
        for test: Test,
        testCase: Test.Case?,
        performing function: @Sendable () async throws -> Void
    ) async throws {
        let app = try makeDevice().install(entitlements)
        let issues = IssueHandlingTrait.compactMapIssues { Self.tell($0, app.device) }
        try await issues.provideScope(for: test, testCase: testCase) {
            try await app.run {
                guard isProcessWide else { return try await function() }
                try await ProcessWideApp.with(app) { try await function() }
            }
        }
    }

    /// The issue, with the calls of the device.
    static func tell(_ issue: Issue, _ device: VirtualDevice) -> Issue {
        var issue = issue
        // The last calls are those that matter; a test may make thousands.
        let calls = device.calls.suffix(20).map(\.description).joined(separator: "\n")
        if !calls.isEmpty { issue.comments.append("The calls on its device, the last ones:\n\(calls)") }
        return issue
    }
}

extension Trait where Self == KeychainTrait {
    /// A device of the test's own, with a passcode and a face, unlocked.
    public static var keychain: Self { .keychain() }

    /// A device of the test's own, and the app that the test runs as: `App.current`.
    ///
    /// - Parameters:
    ///   - platform: what the device is.
    ///   - passcode: its passcode; `nil` for none.
    ///   - biometry: what its owner can be recognized by; one face or finger is enrolled.
    ///   - storage: where its keychain lies.
    ///   - entitlements: those of the app.
    ///   - processWide: whether code of the whole process that runs as no other app runs as this one. Such tests take turns
    ///     with each other; see `ProcessWideApp`.
    /// - Returns: The trait.
    public static func keychain(
        _ platform: VirtualDevice.Platform = .iOS,
        passcode: String? = VirtualDevice.defaultPasscode,
        biometry: VirtualDevice.Sensor = .faceID,
        storage: VirtualDevice.Storage = .memory,
        entitlements: Entitlements = .example,
        processWide: Bool = false
    ) -> Self {
        KeychainTrait(isProcessWide: processWide, entitlements: entitlements) {
            try VirtualDevice(platform, passcode: passcode, biometry: biometry, storage: storage)
        }
    }
}
