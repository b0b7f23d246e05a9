// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainCore
import KeychainTestSupport
import Testing

@testable import SecurityTool

/// Dates as 14 digits in UTC.
struct DateTextTests {
    @Test("dates are those of the Gregorian calendar", arguments: [7, 8, 9] as [UInt64])
    func datesAreRight(_ seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = TimeZone(secondsFromGMT: 0)
        formatter.calendar = Calendar(identifier: .iso8601)
        formatter.dateFormat = "yyyyMMddHHmmss"
        for _ in 0..<500 {
            // From 1700 to 9999.
            let seconds = Double.random(in: -9_498_000_000..<252_423_993_600, using: &generator)
            let expected = formatter.string(from: Date(timeIntervalSinceReferenceDate: seconds.rounded(.down)))
            #expect(text(seconds) == expected + "Z\0")
        }
    }

    static let cases: [(Double, String)] = [
        (0, "20010101000000Z\0"),
        (-0.5, "20001231235959Z\0"),
        (94_607_999.99, "20031231235959Z\0"),
        (99_791_999, "20040229235959Z\0"),
        (-63_113_904_000, "00010101000000Z\0"),
        (252_423_993_599, "99991231235959Z\0"),
        (.infinity, "99991231235959Z\0"),
        (-.infinity, "00010101000000Z\0"),
        (.nan, "00010101000000Z\0"),
        (1e300, "99991231235959Z\0"),
    ]

    @Test("edges, and what no calendar has", arguments: cases)
    func edges(_ seconds: Double, _ expected: String) { #expect(text(seconds) == expected) }

    private func text(_ seconds: Double) -> String {
        String(decoding: DateText.bytes(Timestamp(secondsSinceReferenceDate: seconds)), as: UTF8.self)
    }
}
