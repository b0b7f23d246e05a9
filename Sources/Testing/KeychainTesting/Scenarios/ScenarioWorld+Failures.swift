// SPDX-License-Identifier: Apache-2.0

import KeychainSimulation
import Synchronization
import Testing

extension ScenarioWorld {
    /// Runs a play, and describes the scenario if something in it fails.
    func explainingFailures<Result>(at location: SourceLocation, _ play: () throws -> Result) throws -> Result {
        let failure = Failure()
        var outcome: Swift.Result<Result, any Error>?
        // No issue is a known one: this only observes the issues that expectations in the body record.
        withKnownIssue(isIntermittent: true) {
            outcome = .init { try Self.$current.withValue(self) { try play() } }
        } matching: { issue in
            failure.observe(issue)
        }
        return try finish(outcome, failure: failure, at: location)
    }

    /// Runs a play, and describes the scenario if something in it fails.
    func explainingFailures<Result>(
        at location: SourceLocation,
        isolation: isolated (any Actor)?,
        _ play: () async throws -> Result
    ) async throws -> Result {
        let failure = Failure()
        var outcome: Swift.Result<Result, any Error>?
        await withKnownIssue(isIntermittent: true, isolation: isolation) {
            do {
                outcome = .success(try await Self.$current.withValue(self, operation: play, isolation: isolation))
            } catch { outcome = .failure(error) }
        } matching: { issue in
            failure.observe(issue)
        }
        return try finish(outcome, failure: failure, at: location)
    }

    private func finish<Result>(
        _ outcome: Swift.Result<Result, any Error>?,
        failure: Failure,
        at location: SourceLocation
    ) throws -> Result {
        guard let outcome else { preconditionFailure("a play that neither ends nor throws") }
        if case .failure = outcome { failure.record() }
        if Test.current == nil, let testCase = RunningTestCase.current {
            // XCTest's observer reports the failures that XCTest records, including the error at the end of the test.
            if case .failure = outcome { testCase.failedPlay = self }
        } else if failure.isRecorded {
            Issue.record(Comment(rawValue: explanation), severity: .warning, sourceLocation: location)
        }
        return try outcome.get()
    }

    /// The scenario, what to do about it, and the calls.
    var explanation: String { explanation(on: "") }

    /// The same, with an explanation of the calls that a failure concerns.
    func explanation(on failure: String) -> String {
        var devices = [firstApp.device]
        if device !== firstApp.device { devices.append(device) }
        let logs = devices.map { "\($0.calls)" }
        return """
            The scenario "\(scenario.name)": \(scenario.story)
            The usual mistake: \(scenario.usualMistake)
            What to do: \(scenario.advice)
            The calls on its device:
            \(logs.joined(separator: "\nand on the new one:\n"))
            \(devices.compactMap { FailureExplanation.text(on: failure, of: $0.calls) }.joined(separator: "\n\n"))
            """
    }
}

/// Whether something failed.
private final class Failure: Sendable {
    private let state = Mutex(false)

    var isRecorded: Bool { state.withLock(\.self) }

    func record() { state.withLock { $0 = true } }

    /// Observes an issue, which is recorded unchanged.
    func observe(_ issue: Issue) -> Bool {
        if issue.severity == .error { record() }
        return false
    }
}
