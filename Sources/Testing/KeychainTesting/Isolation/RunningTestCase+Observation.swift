// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainSimulation
import Synchronization
import XCTest

extension RunningTestCase {
    /// The test case that is running.
    static var current: RunningTestCase? { observer.state.withLock(\.current) }

    /// Whether XCTest is running a suite, within a test case or not.
    static var isInSuite: Bool { observer.state.withLock { !$0.suites.isEmpty } }

    /// Observes the test cases from now on.
    static func observe() { _ = observer }

    /// Makes the running suite fail with a complaint that no test case can report, or the run if there is no suite.
    static func failSuite(with complaint: Complaint) {
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
            /// The running suites, the outermost first.
            var suites: [RunningSuite] = []
        }

        /// A running suite, such as a class.
        struct RunningSuite {
            let scope = TestScope()
            /// The app of the process that was set before the suite began.
            let appBefore = ProcessWideApp.setApp
            /// The complaints that no test case could report.
            var complaints: [Complaint] = []
        }

        let state = Mutex(State())

        func testCaseWillStart(_ testCase: XCTestCase) {
            let running = RunningTestCase(testCase)
            state.withLock { $0.current = running }
            TestScope.ofProcess.withLock { $0 = running.scope }
            // The first block is the last to run. When the observer is notified of the end, it is too late to fail.
            testCase.addTeardownBlock { running.finishBody() }
        }

        /// XCTest has no place for comments on a failure.
        func testCase(
            _ testCase: XCTestCase,
            didFailWithDescription description: String,
            inFile filePath: String?,
            atLine lineNumber: Int
        ) {
            let (running, suites) = state.withLock { ($0.current, $0.suites) }
            let logs = suites.flatMap(\.scope.logs)
            guard let text = running?.explanation(of: description, in: testCase, besides: logs) else { return }
            let place = filePath.map { "\($0):\(lineNumber)" } ?? "<unknown>:0"
            FileHandle.standardError.write(Data("\(place): note: \(testCase.name) : \(text)\n".utf8))
        }

        func testCaseDidFinish(_ testCase: XCTestCase) {
            let (finished, suite) = state.withLock { ($0.current.take(), $0.suites.last?.scope) }
            TestScope.ofProcess.withLock { $0 = suite }
            guard let finished else { return }
            finished.end()
            // An app that a test did not unset must not make the next one pass.
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
            // The same applies to the setUp of a class, which runs within its suite and outside of its tests.
            ProcessWideApp.restore(finished.appBefore)
            finished.scope.end()
            for complaint in finished.complaints { fail(testSuite, complaint) }
        }

        /// Makes a suite fail that has ended: its run gets one more test, which failed.
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
