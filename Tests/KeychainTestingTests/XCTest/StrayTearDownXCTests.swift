// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainTesting
import Security
import XCTest

/// Calls in each kind of `tearDown`, which reach the app of the process.
///
/// In the process that `StrayTableTests` starts none is set, and each call fails its test.
final class StrayTearDownXCTests: XCTestCase {
    private let expected = StrayTable.isChild ? errSecNotAvailable : errSecSuccess

    override func setUpWithError() throws {
        guard !StrayTable.isChild else { return }
        ProcessWideApp.set(try VirtualDevice().install())
    }

    func testSynchronous() {}

    func testThrowing() {}

    func testAsynchronous() {}

    override func tearDown() {
        guard name.hasSuffix("testSynchronous") else { return }
        XCTAssertEqual(SecItemAdd(Items.query(), nil), expected)
    }

    override func tearDownWithError() throws {
        guard name.hasSuffix("testThrowing") else { return }
        XCTAssertEqual(SecItemAdd(Items.query(), nil), expected)
    }

    override func tearDown() async throws {
        guard name.hasSuffix("testAsynchronous") else { return }
        await Task.yield()
        XCTAssertEqual(SecItemAdd(Items.query(), nil), expected)
    }
}

/// A call after the last test, which only the process that `StrayTableTests` starts makes.
final class StrayAfterXCTests: XCTestCase {
    func testNothing() {
        if StrayTable.isChild { atexit { _ = SecItemDelete(Items.query()) } }
    }
}

/// Calls of a class, before and after its tests, which reach the app of the process.
///
/// In the process that `StrayTableTests` starts none is set, and each call fails the suite of the class.
final class StrayClassXCTests: XCTestCase {
    override class func setUp() {
        if !StrayTable.isChild, let app = try? VirtualDevice().install() { ProcessWideApp.set(app) }
        _ = SecItemAdd(Items.query("before"), nil)
    }

    override class func tearDown() {
        _ = SecItemDelete(Items.query("before"))
    }

    func testNothing() {
        guard !StrayTable.isChild else { return }
        XCTAssertEqual(App.current?.device.calls.map(\.status), [errSecSuccess])
    }
}
