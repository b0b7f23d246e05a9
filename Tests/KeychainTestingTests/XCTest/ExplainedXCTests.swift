// SPDX-License-Identifier: Apache-2.0

import KeychainTesting
import Security
import Testing
import XCTest

/// Reads of a locked device, which fail.
///
/// In the process that `ExplainedFailureTests` starts, each expects that they succeed.
final class ExplainedXCTests: XCTestCase {
    private let expected = StrayTable.isChild ? errSecSuccess : errSecInteractionNotAllowed

    private struct Locked: Error {}

    private func readLocked(as app: App) throws -> OSStatus {
        try app.run {
            XCTAssertEqual(Items.add(), errSecSuccess)
            try app.device.lock()
            return Items.read().status
        }
    }

    func testInAnApp() throws {
        let app = try VirtualDevice().install()
        let status = try readLocked(as: app)
        app.run { XCTAssertEqual(status, expected) }  // told
    }

    func testAfterAnApp() throws {
        let app = try VirtualDevice().install()
        let status = try readLocked(as: app)
        XCTAssertEqual(status, expected)  // told
    }

    func testInTasks() async throws {
        let app = try VirtualDevice().install()
        let status = try readLocked(as: app)
        await app.run { [expected] in
            await Task { XCTAssertEqual(status, expected) }.value  // told
        }
    }

    func testAPlay() throws {
        try Scenario.lockedInBackground.play {
            XCTAssertEqual(Items.add(), errSecSuccess)
        } afterwards: {
            XCTAssertEqual(Items.read().status, expected)  // told
        }
    }

    func testAPlayThatThrows() throws {
        do {
            try Scenario.lockedInBackground.play {
                XCTAssertEqual(Items.add(), errSecSuccess)
            } afterwards: {
                if Items.read().status != errSecSuccess { throw Locked() }
            }
        } catch  where !StrayTable.isChild {
            XCTAssert(error is Locked)
        }
    }

    func testWithoutADevice() {
        XCTAssertEqual(StrayTable.isChild, false)
    }

    func testAfterAContract() throws {
        let violations = try KeychainContract.violations(of: SecItemFunctions())
        XCTAssertEqual(violations.isEmpty, !StrayTable.isChild)
    }
}
