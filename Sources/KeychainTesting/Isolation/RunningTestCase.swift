// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainSimulation
import Synchronization
import XCTest

/// The `XCTestCase` that runs: whom complaints are about outside of Swift Testing.
///
/// It ends when the lines of all complaints about it are found, so that they are failures of it.
final class RunningTestCase: @unchecked Sendable {
    /// Tells two apart.
    let name: String

    // It counts its failures without a lock: it is told of them at its end alone, which waits for that.
    private let testCase: XCTestCase
    private let condition = NSCondition()
    // Guarded by the condition.
    private var open: [OpenComplaint] = []
    private var isOver = false
    private let appBefore = ProcessWideApp.setApp

    /// A complaint that the test has still to fail by.
    private struct OpenComplaint {
        let complaint: Complaint
        var location: CallLocation?
        var isLookedUp = false
    }

    /// Whether the current thread records a failure: observers may call the keychain then, and each call would be the
    /// next failure.
    @TaskLocal private static var isRecording = false

    /// How long the end of a test waits for lines, which take long on a busy machine.
    private static let patience: TimeInterval = 300

    private init(_ testCase: XCTestCase) {
        self.testCase = testCase
        name = testCase.name
    }

    /// The one that runs.
    static var current: RunningTestCase? { observer.state.withLock(\.current) }

    /// Learns of the test cases from now on.
    static func observe() { _ = observer }

    private static let observer = {
        let observer = Observer()
        XCTestObservationCenter.shared.addTestObserver(observer)
        return observer
    }()

    /// Has the test fail at the line of a complaint, before it ends.
    func tell(_ complaint: Complaint) {
        guard !Self.isRecording else { return complaint.write(nil) }
        let isTimely = condition.withLock {
            if !isOver { open.append(OpenComplaint(complaint: complaint)) }
            return !isOver
        }
        guard isTimely else { return Self.observer.keep(complaint) }
        CallLocationLookup.shared.find(complaint.stack) { self.note($0, of: complaint) }
    }

    private func note(_ location: CallLocation?, of complaint: Complaint) {
        condition.withLock {
            guard let index = open.firstIndex(where: { $0.complaint === complaint }) else { return }
            open[index].location = location
            open[index].isLookedUp = true
            condition.broadcast()
        }
    }

    /// Waits for the lines, fails by them, and takes no complaint any more.
    private func finish() {
        let end = Date(timeIntervalSinceNow: Self.patience)
        // Not under the lock: whoever hears of a failure may call the keychain.
        while let next = next(until: end) {
            Self.$isRecording.withValue(true) { fail(next.complaint, next.location) }
        }
    }

    private func next(until end: Date) -> OpenComplaint? {
        condition.withLock {
            while let first = open.first, !first.isLookedUp, condition.wait(until: end) {}
            guard open.isEmpty else { return open.removeFirst() }
            isOver = true
            return nil
        }
    }

    private func fail(_ complaint: Complaint, _ location: CallLocation?) {
        let place = location ?? CallLocation(path: "<unknown>", line: 0, column: 0)
        testCase.recordFailure(
            withDescription: complaint.text,
            inFile: place.path,
            atLine: place.line,
            expected: true
        )
    }

    private final class Observer: XCTestObservation, Sendable {
        struct State {
            var current: RunningTestCase?
            /// What was complained about after the last test case.
            var late: [Complaint] = []
            /// The apps of the process that were set before the suites that run, of which a class is one.
            var appsBefore: [App?] = []
        }

        let state = Mutex(State())

        /// Keeps a complaint for the next test case; on standard error it is told now, because there may be none.
        func keep(_ complaint: Complaint) {
            complaint.write(nil)
            state.withLock { $0.late.append(complaint) }
        }

        func testCaseWillStart(_ testCase: XCTestCase) {
            let running = RunningTestCase(testCase)
            let late = state.withLock { state in
                state.current = running
                defer { state.late = [] }
                return state.late
            }
            // The first block is the last to run; when the observer hears of the end, it is too late to fail.
            testCase.addTeardownBlock { running.finish() }
            for complaint in late { running.tell(complaint.ofEarlierTest()) }
        }

        func testCaseDidFinish(_ testCase: XCTestCase) {
            let finished = state.withLock { $0.current.take() }
            // What a test forgot to unset must not make the next one pass.
            if let finished { ProcessWideApp.restore(finished.appBefore) }
        }

        func testSuiteWillStart(_ testSuite: XCTestSuite) {
            let app = ProcessWideApp.setApp
            state.withLock { $0.appsBefore.append(app) }
        }

        func testSuiteDidFinish(_ testSuite: XCTestSuite) {
            // Nor what a class did in its own setUp, which runs within its suite and outside of its tests.
            if let app = state.withLock({ $0.appsBefore.popLast() }) { ProcessWideApp.restore(app) }
        }
    }
}
