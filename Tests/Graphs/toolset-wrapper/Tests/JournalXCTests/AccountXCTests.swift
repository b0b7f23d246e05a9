// SPDX-License-Identifier: Apache-2.0

import Journal
import KeychainTesting
import XCTest

final class AccountXCTests: XCTestCase {
    func testALockedPhoneIsNoSignOut() throws {
        let device = try VirtualDevice()
        try device.install().run {
            let account = Account()
            try account.signIn(token: "t0ken")
            try device.lock()
            XCTAssertFalse(account.isSignedIn)
            try device.unlock()
            XCTAssertEqual(try account.token(), "t0ken")
        }
    }
}
