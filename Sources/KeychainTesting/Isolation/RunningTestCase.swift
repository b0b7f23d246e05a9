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

    // XCTest records failures from any thread.
    private let testCase: XCTestCase
    private let condition = NSCondition()
    // Guarded by the condition.
    private var open: [ObjectIdentifier: Complaint] = [:]
    private var isOver = false
    private let hadApp = ProcessWideApp.isSet

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
        let isTimely = condition.withLock {
            if !isOver { open[ObjectIdentifier(complaint)] = complaint }
            return !isOver
        }
        guard isTimely else { return Self.observer.keep(complaint) }
        CallLocationLookup.shared.find(complaint.stack) { self.record(complaint, $0) }
    }

    private func record(_ complaint: Complaint, _ location: CallLocation?) {
        condition.withLock {
            guard open.removeValue(forKey: ObjectIdentifier(complaint)) != nil else { return }
            fail(complaint, location)
            condition.broadcast()
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

    /// Waits for the lines, and takes no complaint any more.
    private func finish() {
        let end = Date(timeIntervalSinceNow: Self.patience)
        condition.withLock {
            while !open.isEmpty, condition.wait(until: end) {}
            for complaint in open.values { fail(complaint, nil) }
            open = [:]
            isOver = true
        }
    }

    private final class Observer: XCTestObservation, Sendable {
        struct State {
            var current: RunningTestCase?
            /// What was complained about after the last test case.
            var late: [Complaint] = []
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
            if finished?.hadApp == false { ProcessWideApp.unset() }
        }
    }
}
