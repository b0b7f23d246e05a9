// SPDX-License-Identifier: Apache-2.0

import Foundation
import Security
import Testing

/// Dates far away, and dates that are none.
struct DateEdgeTests {
    private static let seconds: [Double] = [
        0, -0.0, 0.001, -0.001, 1e-300, 1e10, -1e10, 1e300, -1e300, .greatestFiniteMagnitude,
        Date.distantPast.timeIntervalSinceReferenceDate, Date.distantFuture.timeIntervalSinceReferenceDate,
        .leastNonzeroMagnitude, 9_007_199_254_740_994,
    ]

    @Test("a date far away is kept, found and part of the primary key", arguments: seconds)
    func farAway(_ seconds: Double) throws {
        let keychain = try WitnessedKeychain()
        let date = Date(timeIntervalSinceReferenceDate: seconds)
        let item: [CFString: Any] = [kSecClass: kSecClassKey, kSecAttrApplicationTag: "dates", kSecAttrStartDate: date]
        keychain.run {
            #expect(Items.add(item) == errSecSuccess)
            #expect(Items.add(item) == errSecDuplicateItem)
            let found = Items.copy(item.merging([kSecReturnAttributes: true]) { $1 }).result as? [String: Any]
            #expect(found?["sdat"] as? Date == date)
            let other = item.merging([kSecAttrStartDate: Date(timeIntervalSinceReferenceDate: 12_345)]) { $1 }
            #expect(Items.copy(other).status == errSecItemNotFound)
            #expect(Items.update(item, [kSecAttrCreationDate: date]) == errSecSuccess)
            let updated = Items.copy(item.merging([kSecReturnAttributes: true]) { $1 }).result as? [String: Any]
            #expect(updated?["cdat"] as? Date == date)
            #expect(Items.delete(item) == errSecSuccess)
        }
        try keychain.expectUntouched()
    }

    @Test("a date that is not a time is refused", arguments: [Double.nan, .signalingNaN, .infinity, -.infinity])
    func notADate(_ seconds: Double) throws {
        let keychain = try WitnessedKeychain()
        let date = Date(timeIntervalSinceReferenceDate: seconds)
        let query: [CFString: Any] = [kSecClass: kSecClassKey, kSecAttrStartDate: date]
        let statuses = keychain.run {
            [
                Items.add(query), Items.copy(query).status, Items.update(query, [kSecAttrLabel: "intruder"]),
                Items.update([kSecClass: kSecClassKey], [kSecAttrCreationDate: date]), Items.delete(query),
                Items.copy([kSecClass: kSecClassKey, kSecMatchValidOnDate: date]).status,
            ]
        }
        #expect(statuses == Array(repeating: errSecParam, count: 6))
        try keychain.expectUntouched()
    }
}
