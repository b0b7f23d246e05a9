// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainTesting
import Security
import XCTest

/// The kit in an `XCTestCase`: an app around the code, or one for the whole process between `setUp` and `tearDown`.
final class TokenXCTests: XCTestCase {
    private var app: App?

    override func setUpWithError() throws {
        let app = try VirtualDevice().install()
        ProcessWideApp.set(app)
        self.app = app
    }

    override func tearDown() { ProcessWideApp.unset() }

    func testEachTestStartsEmpty() {
        XCTAssertEqual(Items.add(), errSecSuccess)
        XCTAssertEqual(Items.read().secret, "secret")
    }

    @MainActor
    func testCodeOnAnotherThread() {
        let isDone = expectation(description: "the thread is done")
        Thread {
            XCTAssertEqual(Items.add(), errSecSuccess)
            isDone.fulfill()
        }.start()
        waitForExpectations(timeout: 600)
        XCTAssertEqual(app?.device.calls.map(\.status), [errSecSuccess])
    }

    func testAnAppOfItsOwn() throws {
        let own = try VirtualDevice().install()
        XCTAssertEqual(own.run { Items.add() }, errSecSuccess)
        XCTAssertEqual(Items.read().status, errSecItemNotFound)
    }

    func testAsynchronousCode() async throws {
        let own = try VirtualDevice().install()
        let status = await Self.addInATask(own)
        XCTAssertEqual(status, errSecSuccess)
    }

    private static func addInATask(_ app: App) async -> OSStatus {
        await app.run { await Task { Items.add() }.value }
    }
}
