// SPDX-License-Identifier: Apache-2.0

import Foundation
import Vault
import XCTest

final class VaultXCTests: XCTestCase {
    func testSecretsComeAndGo() throws {
        let vault = Vault(service: "com.example.graphs.\(UUID())")
        XCTAssertNil(try vault.secret(for: "ada"))
        try vault.set("one", for: "ada")
        XCTAssertEqual(try vault.secret(for: "ada"), "one")
        try vault.remove("ada")
        XCTAssertThrowsError(try vault.remove("ada")) { error in
            XCTAssertEqual((error as NSError).code, Int(errSecItemNotFound))
        }
    }
}
