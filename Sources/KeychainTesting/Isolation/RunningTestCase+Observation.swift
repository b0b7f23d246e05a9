// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainSimulation
import Synchronization
import XCTest

extension RunningTestCase {
    /// The one that runs.
    static var current: RunningTestCase? { observer.state.withLock(\.current) }

    /// Whether XCTest runs a suite, with or without a test case that runs.
    static var isInSuite: Bool { observer.state.withLock { !$0.suites.isEmpty } }

    /// Learns of the test cases from now on.
    static func observe() { _ = observer }

    /// Has the suite that runs fail by a complaint that no test case can be told; the run where there is no suite.
    static func keep(_ complaint: Complaint) {
        let isKept = observer.state.withLock { state in
            guard !state.suites.isEmpty else { return false }
            state.suites[state.suites.count - 1].complaints.append(complaint)
            return true
        }
        guard !isKept else { return }
        RunVerdict.fail()
        CallLocationLookup.shared.find(complaint.stack) { complaint.write($0) }
    }

    private static let observer = {
        let observer = Observer()
        XCTestObservationCenter.shared.addTestObserver(observer)
        return observer
    }()

    private final class Observer: XCTestObservation, Sendable {
        struct State {
            var current: RunningTestCase?
            /// Those that run, the outermost first.
            var suites: [RunningSuite] = []
        }

        /// A suite that runs, of which a class is one.
        struct RunningSuite {
            let scope = TestScope()
            /// The app of the process that was set before.
            let appBefore = ProcessWideApp.setApp
            /// What no test case could be told.
            var complaints: [Complaint] = []
        }

        let state = Mutex(State())

        func testCaseWillStart(_ testCase: XCTestCase) {
            let running = RunningTestCase(testCase)
            state.withLock { $0.current = running }
            TestScope.ofProcess.withLock { $0 = running.scope }
            // The first block is the last to run. When the observer hears of the end, it is too late to fail.
            testCase.addTeardownBlock { running.finishBody() }
        }

        func testCaseDidFinish(_ testCase: XCTestCase) {
            let (finished, suite) = state.withLock { ($0.current.take(), $0.suites.last?.scope) }
            TestScope.ofProcess.withLock { $0 = suite }
            guard let finished else { return }
            finished.end()
            // What a test forgot to unset must not make the next one pass.
            ProcessWideApp.restore(finished.appBefore)
        }

        func testSuiteWillStart(_ testSuite: XCTestSuite) {
            let suite = RunningSuite()
            state.withLock { $0.suites.append(suite) }
            TestScope.ofProcess.withLock { $0 = suite.scope }
        }

        func testSuiteDidFinish(_ testSuite: XCTestSuite) {
            let (finished, outer) = state.withLock { ($0.suites.popLast(), $0.suites.last?.scope) }
            TestScope.ofProcess.withLock { $0 = outer }
            guard let finished else { return }
            // Nor what a class did in its own setUp, which runs within its suite and outside of its tests.
            ProcessWideApp.restore(finished.appBefore)
            finished.scope.end()
            for complaint in finished.complaints { fail(testSuite, complaint) }
        }

        /// Has a suite fail that is over: its run is one of a test more, which failed.
        private func fail(_ testSuite: XCTestSuite, _ complaint: Complaint) {
            CallLocationLookup.shared.waitUntilFound(complaint.stack, seconds: RunningTestCase.patience)
            let location = CallLocationLookup.shared.known(complaint.stack) ?? nil
            let place = location.map { "\($0)" } ?? "<unknown>:0"
            FileHandle.standardError.write(Data("\(place): error: \(testSuite.name) : \(complaint.text)\n".utf8))
            guard let run = testSuite.testRun as? XCTestSuiteRun else { return RunVerdict.fail() }
            run.addTestRun(FailedRun(test: testSuite))
        }
    }

    /// A run with one failure.
    private final class FailedRun: XCTestRun {
        override var failureCount: Int { 1 }
    }
}
