// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A time of the host's clock, in milliseconds.
package struct AuditTime: Sendable, Hashable {
    /// Milliseconds since 1970-01-01T00:00:00Z.
    package var milliseconds: Int64

    /// A time.
    package init(milliseconds: Int64) { self.milliseconds = milliseconds }

    /// The current time.
    package static var now: AuditTime {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return AuditTime(milliseconds: Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000)
    }
}

extension AuditTime: CustomStringConvertible {
    /// Date and time in UTC, with milliseconds (ISO 8601, RFC 3339).
    package var description: String {
        var seconds = time_t(milliseconds / 1000)
        var parts = tm()
        guard gmtime_r(&seconds, &parts) != nil else { return "?" }
        let date = [(Int(parts.tm_year) + 1900, 4), (Int(parts.tm_mon) + 1, 2), (Int(parts.tm_mday), 2)]
        let clock = [(Int(parts.tm_hour), 2), (Int(parts.tm_min), 2), (Int(parts.tm_sec), 2)]
        let fraction = Self.padded(Int(milliseconds % 1000), 3)
        let (day, time) = (date.map(Self.padded).joined(separator: "-"), clock.map(Self.padded).joined(separator: ":"))
        return "\(day)T\(time).\(fraction)Z"
    }

    /// Parses the format of ``description``; `nil` for anything else.
    package init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard bytes.count == Self.pattern.utf8.count else { return nil }
        for (byte, expected) in zip(bytes, Self.pattern.utf8) {
            let isDigit = (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
            guard expected == UInt8(ascii: "0") ? isDigit : byte == expected else { return nil }
        }
        func number(_ range: Range<Int>) -> Int32 {
            bytes[range].reduce(0) { $0 * 10 + Int32($1 - UInt8(ascii: "0")) }
        }
        var parts = tm()
        (parts.tm_year, parts.tm_mon, parts.tm_mday) = (number(0..<4) - 1900, number(5..<7) - 1, number(8..<10))
        (parts.tm_hour, parts.tm_min, parts.tm_sec) = (number(11..<13), number(14..<16), number(17..<19))
        self.init(milliseconds: Int64(timegm(&parts)) * 1000 + Int64(number(20..<23)))
        // Dates such as 31 February do not exist.
        guard milliseconds >= 0, description == text else { return nil }
    }

    private static let pattern = "0000-00-00T00:00:00.000Z"

    private static func padded(_ number: Int, _ width: Int) -> String {
        let digits = "\(number)"
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
}
