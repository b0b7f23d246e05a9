// SPDX-License-Identifier: Apache-2.0

public import KeychainSimulation
import Synchronization
public import Testing

/// Gives each test a device of its own, and runs it as an app on it.
///
/// On a suite it applies to each of its tests, nested suites included; a trait of the test or the nested suite itself
/// takes precedence. Each case of a test with arguments has a device of its own. When the test fails, its issues list
/// the calls on the device and explain the failed ones in the words of `keychainctl doctor`: the intended item, the
/// attribute that differs, and the call to use instead. They contain no secrets.
public struct KeychainTrait: TestTrait, SuiteTrait, TestScoping {
    /// Identifies a trait of a test.
    private let number = lastNumber.withLock { last in
        last += 1
        return last
    }

    private static let lastNumber = Mutex<UInt64>(0)

    let isProcessWide: Bool
    let entitlements: Entitlements
    let makeDevice: @Sendable () throws -> VirtualDevice

    /// A trait of a suite applies to each of its tests.
    public var isRecursive: Bool { true }

    /// Makes the device, and runs the test as its app.
    public func provideScope(
        for test: Test,
        testCase: Test.Case?,
        performing function: @Sendable () async throws -> Void
    ) async throws {
        guard isInForce(for: test) else { return try await function() }
        KitStart.once
        let scope = TestScope()
        defer { scope.end() }
        try await TestScope.$ofTask.withValue(scope) {
            guard isProcessWide else {
                return try await ProcessWideApp.withSharedAccess {
                    try await run(test, testCase: testCase, in: try makeDevice().install(entitlements), function)
                }
            }
            let app = try makeDevice().install(entitlements)
            try await ProcessWideApp.with(app) { try await run(test, testCase: testCase, in: app, function) }
        }
    }

    /// Whether this trait determines the test's device: the last of several does.
    private func isInForce(for test: Test) -> Bool {
        let traits = test.traits.compactMap { ($0 as? Self)?.number }
        return traits.last == number || !traits.contains(number)
    }

    private func run(
        _ test: Test,
        testCase: Test.Case?,
        in app: App,
        _ function: @Sendable () async throws -> Void
    ) async throws {
        let issues = IssueHandlingTrait.compactMapIssues { Self.annotated($0, app.device) }
        try await issues.provideScope(for: test, testCase: testCase) {
            try await RunningTest.run(test) {
                do {
                    try await app.run { try await function() }
                } catch {
                    // Recorded here: an error that the test throws becomes an issue only after the trait's scope has
                    // ended.
                    guard Self.isToExplain(error, app.device) else { throw error }
                    Issue.record(error, sourceLocation: test.sourceLocation)
                }
            }
        }
    }

    /// Whether an error that a test throws becomes an issue that failed calls may explain: not one by which Swift
    /// Testing ends a test that has failed already, or is cancelled.
    private static func isToExplain(_ error: any Error, _ device: VirtualDevice) -> Bool {
        let isOfLibrary = String(reflecting: type(of: error)).hasPrefix("Testing.")
        guard !isOfLibrary, !(error is CancellationError) else { return false }
        return device.calls.contains(where: \.hasFailed)
    }

    /// Whether an issue that is recorded now may concern calls on the device.
    @TaskLocal static var showsCalls = true

    /// The issue, with the calls of the device and an explanation; `nil` for an issue that belongs to no test.
    ///
    /// Such an issue is passed to the handlers of all running tests, and recorded without these calls.
    static func annotated(_ issue: Issue, _ device: VirtualDevice) -> Issue? {
        guard Test.current != nil else { return nil }
        guard showsCalls else { return issue }
        var issue = issue
        if let calls = FailureExplanation.calls(device.calls) { issue.comments.append(Comment(rawValue: calls)) }
        if let comment = FailureExplanation.comment(on: issue, device) { issue.comments.append(comment) }
        return issue
    }
}

extension Trait where Self == KeychainTrait {
    /// A device of the test's own, with a passcode and a face, unlocked.
    public static var keychain: Self { .keychain() }

    /// A device of the test's own, and the app that the test runs as: `App.current`.
    ///
    /// - Parameters:
    ///   - platform: the platform of the device.
    ///   - passcode: its passcode; `nil` for none.
    ///   - biometry: the biometric sensor; one face or finger is enrolled.
    ///   - storage: the storage of its keychain.
    ///   - entitlements: the app's entitlements.
    ///   - processWide: whether all code of the process without an app runs as this one. No other test of the trait
    ///     runs at the same time; see `ProcessWideApp`.
    /// - Returns: The trait.
    public static func keychain(
        _ platform: VirtualDevice.Platform = .default,
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
