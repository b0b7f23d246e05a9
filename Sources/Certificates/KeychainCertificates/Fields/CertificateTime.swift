// SPDX-License-Identifier: Apache-2.0

import KeychainCore
internal import SwiftASN1

/// A `Time` of RFC 5280, section 4.1.2.5.
///
/// Certificates of older tools omit the seconds or have an offset from UTC; both are accepted, as in X.509 without a
/// profile. Fractions of a second are not.
package enum CertificateTime {
    /// The time in a text with the syntax of a GeneralizedTime; `nil` for any other text.
    package static func timestamp(generalizedTime text: String) -> Timestamp? {
        seconds(Array(text.utf8)[...], hasCentury: true).map { Timestamp(secondsSinceReferenceDate: Double($0)) }
    }

    static func timestamp(_ node: ASN1Node, _ name: String) throws(CertificateError) -> Timestamp {
        let hasCentury = node.identifier == .generalizedTime
        let bytes = try node.bytes(hasCentury ? .generalizedTime : .utcTime, name)
        guard let seconds = seconds(bytes, hasCentury: hasCentury) else {
            throw CertificateError("\(name) is not a time")
        }
        return Timestamp(secondsSinceReferenceDate: Double(seconds))
    }

    private static func seconds(_ text: ArraySlice<UInt8>, hasCentury: Bool) -> Int? {
        var digits = text.prefix { isDigit($0) }
        let zone = text[digits.endIndex...]
        let yearDigits = hasCentury ? 4 : 2
        let hasSeconds = digits.count == yearDigits + 10
        guard hasSeconds || digits.count == yearDigits + 8 else { return nil }
        var year = number(&digits, yearDigits)
        // RFC 5280, section 4.1.2.5.1
        if !hasCentury { year += year < 50 ? 2000 : 1900 }
        let month = number(&digits, 2)
        let day = number(&digits, 2)
        let hour = number(&digits, 2)
        let minute = number(&digits, 2)
        let second = hasSeconds ? number(&digits, 2) : 0
        guard (1...12).contains(month), (1...days(month, year)).contains(day), hour < 24, minute < 60, second < 60,
            let distance = distance(zone)
        else { return nil }
        let sinceReference = daysSinceReferenceDate(year: year, month: month, day: day)
        return ((sinceReference * 24 + hour) * 60 + minute) * 60 + second - distance
    }

    /// The offset from UTC in seconds; `nil` if the text is not one.
    private static func distance(_ zone: ArraySlice<UInt8>) -> Int? {
        guard let sign = zone.first else { return nil }
        var digits = zone.dropFirst()
        if sign == UInt8(ascii: "Z") { return digits.isEmpty ? 0 : nil }
        guard sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-"), digits.count == 4, digits.allSatisfy(isDigit)
        else { return nil }
        let hours = number(&digits, 2)
        let minutes = number(&digits, 2)
        guard hours < 24, minutes < 60 else { return nil }
        let distance = (hours * 60 + minutes) * 60
        return sign == UInt8(ascii: "+") ? distance : -distance
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

    private static func number(_ digits: inout ArraySlice<UInt8>, _ count: Int) -> Int {
        defer { digits = digits.dropFirst(count) }
        return digits.prefix(count).reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
    }

    private static func isLeap(_ year: Int) -> Bool { year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) }

    private static func days(_ month: Int, _ year: Int) -> Int {
        let days = [31, isLeap(year) ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
        return days[month - 1]
    }

    /// Days of the Gregorian calendar since 2001-01-01; negative for earlier dates.
    private static func daysSinceReferenceDate(year: Int, month: Int, day: Int) -> Int {
        daysBefore(year) - daysBefore(2001) + (1..<month).reduce(0) { $0 + days($1, year) } + day - 1
    }

    /// Days from the start of year 0 to the start of a nonnegative year.
    private static func daysBefore(_ year: Int) -> Int {
        year * 365 + (year + 3) / 4 - (year + 99) / 100 + (year + 399) / 400
    }
}

/// The validity of a certificate (RFC 5280, section 4.1.2.5); it includes both ends.
package struct Validity: Sendable, Hashable {
    /// The first moment.
    package let notBefore: Timestamp
    /// The last moment.
    package let notAfter: Timestamp

    init(_ node: ASN1Node) throws(CertificateError) {
        var fields = try CertificateFieldReader(node, "the validity")
        notBefore = try CertificateTime.timestamp(fields.next("start"), "the start of the validity")
        notAfter = try CertificateTime.timestamp(fields.next("end"), "the end of the validity")
        try fields.end()
    }

    /// Whether it includes a moment; never if the end is before the start.
    package func contains(_ date: Timestamp) -> Bool { notBefore <= date && date <= notAfter }
}
