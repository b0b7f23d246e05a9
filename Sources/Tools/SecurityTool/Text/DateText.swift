// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// A date as file keychains store it: 14 digits in UTC, `Z` and a zero byte.
enum DateText {
    static func bytes(_ date: Timestamp) -> [UInt8] {
        let seconds = clamped(date.secondsSinceReferenceDate)
        let (day, second) = (seconds.floorDivided(by: 86_400), seconds.floorRemainder(by: 86_400))
        let (year, month, dayOfMonth) = civilDate(day)
        let parts = [
            (year, 4), (month, 2), (dayOfMonth, 2), (second / 3600, 2), (second / 60 % 60, 2), (second % 60, 2),
        ]
        return parts.flatMap { digits($0.0, count: $0.1) } + [UInt8(ascii: "Z"), 0]
    }

    /// The years 1 to 9999, which have at most four digits.
    private static func clamped(_ seconds: Double) -> Int {
        guard seconds > -63_113_904_000 else { return -63_113_904_000 }
        guard seconds < 252_423_993_600 else { return seconds.isNaN ? 0 : 252_423_993_599 }
        return Int(seconds.rounded(.down))
    }

    private static func digits(_ number: Int, count: Int) -> [UInt8] {
        let digits = Array(String(number).utf8)
        return Array(repeating: UInt8(ascii: "0"), count: count - digits.count) + digits
    }

    /// The day in the Gregorian calendar, by eras of 400 years that begin in March (146097 days each).
    private static func civilDate(_ daysSince2001: Int) -> (year: Int, month: Int, day: Int) {
        let daysFromEraToReference = 730_791
        let days = daysSince2001 + daysFromEraToReference
        let era = days.floorDivided(by: 146_097)
        let dayOfEra = days.floorRemainder(by: 146_097)
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        let day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
        let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day)
    }
}

extension Int {
    fileprivate func floorDivided(by divisor: Int) -> Int { (self - floorRemainder(by: divisor)) / divisor }

    fileprivate func floorRemainder(by divisor: Int) -> Int {
        let remainder = self % divisor
        return remainder < 0 ? remainder + divisor : remainder
    }
}
