// SPDX-License-Identifier: Apache-2.0

import Synchronization
import XCTest

/// The `XCTestCase` that runs, which has no `Test.current`.
final class RunningTestCase: XCTestObservation, Sendable {
    private let current = Mutex<String?>(nil)

    private static let observer = {
        let observer = RunningTestCase()
        XCTestObservationCenter.shared.addTestObserver(observer)
        return observer
    }()

    /// Its name; `nil` when none runs, and in the one that runs when this is asked for the first time.
    static var name: String? { observer.current.withLock(\.self) }

    func testCaseWillStart(_ testCase: XCTestCase) { current.withLock { $0 = testCase.name } }

    func testCaseDidFinish(_ testCase: XCTestCase) { current.withLock { $0 = nil } }
}
