// SPDX-License-Identifier: Apache-2.0

import Glibc
import KeychainCore

/// Dates in UTC, in the extended and the basic format of ISO 8601.
enum TimeText {
    /// "2026-11-27T23:18:55Z".
    static func text(_ date: Timestamp) -> String {
        guard let (time, _) = parts(date) else { return "an unknown date" }
        let day = [digits(time.tm_year + 1900, 4), digits(time.tm_mon + 1), digits(time.tm_mday)]
        let clock = [time.tm_hour, time.tm_min, time.tm_sec].map { digits($0) }
        return "\(day.joined(separator: "-"))T\(clock.joined(separator: ":"))Z"
    }

    /// "2026-11-27".
    static func day(_ date: Timestamp) -> String {
        guard let (time, _) = parts(date) else { return "an unknown" }
        return "\(digits(time.tm_year + 1900, 4))-\(digits(time.tm_mon + 1))-\(digits(time.tm_mday))"
    }

    /// "20261127T231855.123Z", which sorts by time.
    static func name(_ date: Timestamp) -> String {
        guard let (time, milliseconds) = parts(date) else { return "00000000T000000.000Z" }
        let day = digits(time.tm_year + 1900, 4) + digits(time.tm_mon + 1) + digits(time.tm_mday)
        let clock = [time.tm_hour, time.tm_min, time.tm_sec].map { digits($0) }.joined()
        return "\(day)T\(clock).\(digits(milliseconds, 3))Z"
    }

    private static func digits(_ number: Int32, _ count: Int = 2) -> String {
        if count == 2, (10...99).contains(number) { return "\(number)" }
        let text = "\(number)"
        return String(repeating: "0", count: max(0, count - text.utf8.count)) + text
    }

    private static func parts(_ date: Timestamp) -> (tm, milliseconds: Int32)? {
        let seconds = date.secondsSinceReferenceDate + Timestamp.referenceDateSince1970
        // Years of four digits.
        guard seconds >= -62_135_596_800, seconds < 253_402_300_800 else { return nil }
        var (whole, time) = (time_t(seconds.rounded(.down)), tm())
        gmtime_r(&whole, &time)
        return (time, Int32((seconds - seconds.rounded(.down)) * 1_000))
    }
}
