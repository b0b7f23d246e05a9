// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainSimulation
import Synchronization
import XCTest

/// The running `XCTestCase`, to which complaints are attributed outside of Swift Testing.
///
/// It ends when the lines of all complaints about it are found, so that they become its failures. Later ones, and those
/// while no test case runs, become failures of the suite, such as that of the class.
final class RunningTestCase: @unchecked Sendable {
    /// Identifies a test case.
    let name: String

    // XCTestCase counts its failures without a lock, so they are recorded on its own thread, or while that waits.
    private let testCase: XCTestCase
    private let thread = pthread_self()
    private let condition = NSCondition()
    // Protected by the condition.
    private var open: [OpenComplaint] = []
    private var phase = Phase.running
    let appBefore = ProcessWideApp.setApp
    let scope = TestScope()

    /// Which complaints it accepts.
    private enum Phase {
        /// All of them; it fails when its teardown blocks are run.
        case running
        /// Those of its `tearDown()`, which runs after the blocks: it fails immediately.
        case tearingDown
        /// Nothing.
        case over
    }

    /// A complaint that the test has not failed with yet.
    private struct OpenComplaint {
        let complaint: Complaint
        var location: CallLocation?
        var isLookedUp = false
    }

    /// Whether the current thread is recording a failure: observers may call the keychain then, and each call would be
    /// another failure.
    @TaskLocal private static var isRecording = false

    /// The last play of a scenario that threw an error, until a failure of the test is explained by it.
    var failedPlay: ScenarioWorld? {
        get { condition.withLock { thrownPlay } }
        set { condition.withLock { thrownPlay = newValue } }
    }
    // Protected by the condition.
    private var thrownPlay: ScenarioWorld?

    /// The maximum number of a test's devices to report if it is unknown on which one a failure occurred.
    private static let maximumDevices = 3

    /// The time limit for the end of a test to wait for lines; look-ups take long on a busy machine.
    static let patience: TimeInterval = 300

    init(_ testCase: XCTestCase) {
        self.testCase = testCase
        name = testCase.name
    }

    /// Makes the test fail at the line of a complaint, before it ends.
    func report(_ complaint: Complaint) {
        guard !Self.isRecording else { return complaint.write(nil) }
        let isInTearDown = isInTearDown(complaint)
        let phase = condition.withLock { () -> Phase in
            let phase = self.phase == .tearingDown && !isInTearDown ? Phase.over : self.phase
            if phase != .over { open.append(OpenComplaint(complaint: complaint)) }
            return phase
        }
        guard phase != .over else {
            return Self.failSuite(with: complaint.adding("It was made after \(name) had ended."))
        }
        CallLocationLookup.shared.find(complaint.stack) { self.recordLocation($0, of: complaint) }
        if phase == .tearingDown { fail() }
    }

    /// Whether the test's end waits for the call: on its own thread, or in a `tearDown() async`.
    private func isInTearDown(_ complaint: Complaint) -> Bool {
        pthread_equal(pthread_self(), thread) != 0
            || complaint.stack.functions.stack.contains { $0.contains(".tearDown() async") }
    }

    private func recordLocation(_ location: CallLocation?, of complaint: Complaint) {
        condition.withLock {
            guard let index = open.firstIndex(where: { $0.complaint === complaint }) else { return }
            open[index].location = location
            open[index].isLookedUp = true
            condition.broadcast()
        }
    }

    /// The explanation, from the calls, of a failure that is being recorded on the current thread; `nil` if there is
    /// none.
    ///
    /// - Parameters:
    ///   - failure: the text of the failure.
    ///   - testCase: the test case that failed.
    ///   - logs: the logs of the devices of its class.
    /// - Returns: Several lines without secrets.
    func explanation(of failure: String, in testCase: XCTestCase, besides logs: [CallLog]) -> String? {
        // A call that has lost its app is on no device.
        guard testCase === self.testCase, !Self.isRecording else { return nil }
        let isError = failure.contains("threw error")
        if let play = ScenarioWorld.current ?? condition.withLock({ isError ? thrownPlay.take() : nil }) {
            return play.explanation(on: failure)
        }
        let own = App.current.map { [$0.device.calls] } ?? []
        let candidates = own.contains { !$0.isEmpty } ? own : logs + scope.logs
        let texts = candidates.filter { !$0.isEmpty }.suffix(Self.maximumDevices).flatMap { log in
            [FailureExplanation.calls(log), FailureExplanation.text(on: failure, of: log)].compactMap(\.self)
        }
        return texts.isEmpty ? nil : texts.joined(separator: "\n")
    }

    /// Waits for the lines, records the failures, and continues with `tearDown()`.
    func finishBody() {
        fail { self.phase = .tearingDown }
    }

    /// Accepts no more complaints.
    func end() {
        condition.withLock { phase = .over }
        scope.end()
    }

    /// Records the complaints so far as failures, and then calls the closure when none is left.
    private func fail(_ whenDone: () -> Void = {}) {
        let end = Date(timeIntervalSinceNow: Self.patience)
        // Not while the lock is held: an observer of the failure may call the keychain.
        while let next = next(until: end, whenDone) {
            Self.$isRecording.withValue(true) {
                let place = next.location ?? CallLocation(path: "<unknown>", line: 0, column: 0)
                testCase.recordFailure(
                    withDescription: next.complaint.text,
                    inFile: place.path,
                    atLine: place.line,
                    expected: true
                )
            }
        }
    }

    private func next(until end: Date, _ whenDone: () -> Void) -> OpenComplaint? {
        condition.withLock {
            while let first = open.first, !first.isLookedUp, condition.wait(until: end) {}
            guard open.isEmpty else { return open.removeFirst() }
            whenDone()
            return nil
        }
    }
}
