// SPDX-License-Identifier: Apache-2.0

/// A time in the form of RFC 3339, such as `2026-11-27T12:00:00Z`.
package enum InternetTime {
    /// The seconds since 1970 that a text means; a fraction is dropped.
    ///
    /// - Returns: `nil` for any other text.
    package static func seconds(_ text: String) -> Int? {
        let bytes = Array(text.utf8)
        guard bytes.count >= 20, bytes[4] == UInt8(ascii: "-"), bytes[7] == UInt8(ascii: "-"),
            bytes[10] | 0x20 == UInt8(ascii: "t"), bytes[13] == UInt8(ascii: ":"), bytes[16] == UInt8(ascii: ":"),
            let year = number(bytes[0..<4]), let month = number(bytes[5..<7]), let day = number(bytes[8..<10]),
            let hour = number(bytes[11..<13]), let minute = number(bytes[14..<16]), let second = number(bytes[17..<19]),
            (1...12).contains(month), (1...31).contains(day), hour < 24, minute < 60, second <= 60,
            let offset = offset(bytes[19...])
        else { return nil }
        return days(year, month: month, day: day) * 86_400 + hour * 3_600 + minute * 60 + second - offset
    }

    /// The offset from UTC, in seconds, behind an optional fraction.
    private static func offset(_ rest: ArraySlice<UInt8>) -> Int? {
        var rest = rest
        if rest.first == UInt8(ascii: ".") {
            let digits = rest.dropFirst().prefix { (0x30...0x39).contains($0) }
            guard !digits.isEmpty else { return nil }
            rest = rest.dropFirst(1 + digits.count)
        }
        guard let sign = rest.popFirst() else { return nil }
        if sign | 0x20 == UInt8(ascii: "z") { return rest.isEmpty ? 0 : nil }
        guard sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-"), rest.count == 5,
            rest[rest.startIndex + 2] == UInt8(ascii: ":"), let hours = number(rest.prefix(2)),
            let minutes = number(rest.suffix(2)), hours < 24, minutes < 60
        else { return nil }
        return (sign == UInt8(ascii: "-") ? -1 : 1) * (hours * 3_600 + minutes * 60)
    }

    private static func number(_ digits: ArraySlice<UInt8>) -> Int? {
        guard digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return digits.reduce(0) { $0 * 10 + Int($1 - 0x30) }
    }

    /// The days since 1970 in the Gregorian calendar; years begin in March, so that the leap day is their last.
    private static func days(_ year: Int, month: Int, day: Int) -> Int {
        let year = month <= 2 ? year - 1 : year
        let month = (month + 9) % 12
        let leaps = year / 4 - year / 100 + year / 400
        return year * 365 + leaps + (month * 153 + 2) / 5 + day - 1 - 719_468
    }
}
