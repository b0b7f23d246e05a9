// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainSimulation
import Synchronization
import XCTest

/// The `XCTestCase` that runs: whom complaints are about outside of Swift Testing.
///
/// It ends when the lines of all complaints about it are found, so that they are failures of it. Those that come too
/// late for it, and those that come while no test case runs, are failures of the suite, such as that of the class.
final class RunningTestCase: @unchecked Sendable {
    /// Tells two apart.
    let name: String

    // It counts its failures without a lock: it is told of them on its own thread, or while that waits.
    private let testCase: XCTestCase
    private let thread = pthread_self()
    private let condition = NSCondition()
    // Guarded by the condition.
    private var open: [OpenComplaint] = []
    private var phase = Phase.running
    let appBefore = ProcessWideApp.setApp
    let scope = TestScope()

    /// What it can be told.
    private enum Phase {
        /// Everything, which it fails by when its blocks for the end are run.
        case running
        /// What happens in its `tearDown()`, which is run after the blocks: it fails at once.
        case tearingDown
        /// Nothing.
        case over
    }

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
    static let patience: TimeInterval = 300

    init(_ testCase: XCTestCase) {
        self.testCase = testCase
        name = testCase.name
    }

    /// Has the test fail at the line of a complaint, before it ends.
    func tell(_ complaint: Complaint) {
        guard !Self.isRecording else { return complaint.write(nil) }
        let isInTearDown = isInTearDown(complaint)
        let phase = condition.withLock { () -> Phase in
            let phase = self.phase == .tearingDown && !isInTearDown ? Phase.over : self.phase
            if phase != .over { open.append(OpenComplaint(complaint: complaint)) }
            return phase
        }
        guard phase != .over else { return Self.keep(complaint.adding("It was made after \(name) had ended.")) }
        CallLocationLookup.shared.find(complaint.stack) { self.note($0, of: complaint) }
        if phase == .tearingDown { fail() }
    }

    /// Whether the test's end waits for the call: on its own thread, or in a `tearDown() async`.
    private func isInTearDown(_ complaint: Complaint) -> Bool {
        pthread_equal(pthread_self(), thread) != 0
            || complaint.stack.functions.stack.contains { $0.contains(".tearDown() async") }
    }

    private func note(_ location: CallLocation?, of complaint: Complaint) {
        condition.withLock {
            guard let index = open.firstIndex(where: { $0.complaint === complaint }) else { return }
            open[index].location = location
            open[index].isLookedUp = true
            condition.broadcast()
        }
    }

    /// Waits for the lines, fails by them, and goes on to `tearDown()`.
    func finishBody() {
        fail { self.phase = .tearingDown }
    }

    /// Takes no complaint any more.
    func end() {
        condition.withLock { phase = .over }
        scope.end()
    }

    /// Fails by the complaints so far, and does something when none is left.
    private func fail(_ whenDone: () -> Void = {}) {
        let end = Date(timeIntervalSinceNow: Self.patience)
        // Not under the lock: whoever hears of a failure may call the keychain.
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
