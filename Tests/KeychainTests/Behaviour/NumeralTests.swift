// SPDX-License-Identifier: Apache-2.0

import Foundation
import Keychain
import KeychainTesting
import Security
import Testing

@Suite("Numerals in keys", .keychain(entitlements: .grouped))
struct NumeralTests {
    @Test("Values of one row are equal, written as a numeral or as a number", arguments: Way.allCases)
    func equal(way: Way) throws {
        let keychain = try way.subject().keychain
        for text in ["0", "00", "17", "htps", "", "-1"] {
            let item = InternetPassword(server: "s", transferProtocol: text as CFString)
            for other in [nil, "0", "00", "017", "17", "htps", "", "-1"] as [String?] {
                let second = InternetPassword(server: "s", transferProtocol: other.map { $0 as CFString })
                try keychain.set("x", for: item, protection: .accessible(.whenUnlocked))
                #expect(try keychain.contains(second) == (item == second), "\(text) \(other ?? "nil")")
                #expect(try keychain.delete(item))
            }
        }
        #expect(InternetPassword(server: "s", transferProtocol: "0" as CFString).transferProtocol == nil)
        #expect(InternetPassword(server: "s", transferProtocol: "17" as CFString).transferProtocol == "17")
        #expect(InternetPassword(server: "s", account: "0") != InternetPassword(server: "s", account: "00"))
    }
}
