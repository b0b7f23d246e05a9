// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import KeychainTesting
import Security
import XCTest

/// Calls on a queue, on a thread and in a detached task of XCTest, which reach the app of the process.
///
/// In the process that `StrayTableTests` starts none is set, and each call fails its test at its line.
final class StrayXCTests: XCTestCase {
    private let expected = StrayTable.isChild ? errSecNotAvailable : errSecSuccess

    /// As short as in many tests: a call that has lost its app answers at once.
    private let patience: TimeInterval = StrayTable.isChild ? 2 : 60

    override func setUpWithError() throws {
        guard !StrayTable.isChild else { return }
        ProcessWideApp.set(try VirtualDevice().install())
    }

    // None unsets the app: the end of a test does.

    func testInTheTestItself() {
        let status = SecItemAdd(Items.query(), nil)
        XCTAssertEqual(status, expected)
    }

    @MainActor
    func testOnAQueue() {
        let isDone = expectation(description: "the queue is done")
        DispatchQueue.global().async { [expected] in
            let status = SecItemAdd(Items.query(), nil)
            XCTAssertEqual(status, expected)
            isDone.fulfill()
        }
        wait(for: [isDone], timeout: patience)
    }

    @MainActor
    func testOnAThread() {
        let isDone = expectation(description: "the thread is done")
        Thread { [expected] in
            let status = SecItemAdd(Items.query(), nil)
            XCTAssertEqual(status, expected)
            isDone.fulfill()
        }.start()
        wait(for: [isDone], timeout: patience)
    }

    func testInADetachedTask() async {
        let status = await Task.detached { SecItemAdd(Items.query(), nil) }.value
        XCTAssertEqual(status, expected)
    }
}
