// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// Items and values in words; values are marked for ``Redaction``.
enum ItemText {
    /// A value of an attribute.
    static func value(_ value: AttributeValue) -> String {
        switch value {
        case .string(let text): "\"\(Redaction.Mark.value(text))\""
        case .data(let bytes):
            if let text = printable(bytes) {
                "the bytes of \"\(Redaction.Mark.value(text))\""
            } else {
                "\(bytes.count) bytes \(Redaction.Mark.value(bytes.hexadecimal))"
            }
        case .number(let number): Redaction.Mark.value(plain(number))
        case .date(let date): Redaction.Mark.value(timestamp(date))
        case .accessControl(let accessControl): "an access control of \(accessControl.protection.rawValue)"
        }
    }

    /// A name chosen by the owner of the items, such as that of an access group.
    static func name(_ name: String) -> String { Redaction.Mark.value(name) }

    /// An item, described by its distinguishing attributes.
    static func short(_ item: ExplainedItem) -> String {
        let names = item.itemClass.keyColumns + [.label]
        let parts = names.compactMap { name -> String? in
            guard let value = item.attributes?[name], !isEmpty(value) else { return nil }
            return "\(name) \(self.value(value))"
        }
        let place = item.group.map { " in \(name($0))" } ?? ""
        return ([item.itemClass.rawValue] + parts.prefix(3)).joined(separator: " ") + place
    }

    static func isEmpty(_ value: AttributeValue) -> Bool {
        switch value {
        case .string(let text): text.isEmpty
        case .data(let bytes): bytes.isEmpty
        case .number(let number): number == .integer(0)
        case .date(let date): date == .referenceDate
        case .accessControl: false
        }
    }

    static func plain(_ number: KeychainNumber) -> String {
        switch number {
        case .integer(let value): String(value)
        case .unsigned(let value): String(value)
        case .real(let value): String(value)
        }
    }

    /// The text of bytes; `nil` if they are not text, or contain control characters.
    static func printable(_ bytes: [UInt8]) -> String? {
        guard let text = String(validating: bytes, as: UTF8.self),
            text.unicodeScalars.allSatisfy({ $0.value >= 0x20 && $0.value != 0x7F })
        else { return nil }
        return text
    }

    /// A date in ISO 8601, by the proleptic Gregorian calendar.
    static func timestamp(_ date: Timestamp) -> String {
        guard date.secondsSinceReferenceDate.isFinite, abs(date.secondsSinceReferenceDate) < 1e11 else { return "?" }
        let milliseconds = Int((date.secondsSinceReferenceDate * 1000).rounded())
        let (seconds, fraction) = milliseconds.dividedWithFloor(by: 1000)
        let (days, time) = seconds.dividedWithFloor(by: 86_400)
        let (year, month, day) = calendarDate(days)
        func padded(_ number: Int, _ width: Int) -> String {
            let digits = String(number)
            return String(repeating: "0", count: max(0, width - digits.count)) + digits
        }
        return "\(padded(year, 4))-\(padded(month, 2))-\(padded(day, 2))T\(padded(time / 3600, 2)):"
            + "\(padded(time / 60 % 60, 2)):\(padded(time % 60, 2)).\(padded(fraction, 3))Z"
    }

    /// The date a number of days after 2001-01-01.
    private static func calendarDate(_ days: Int) -> (year: Int, month: Int, day: Int) {
        // From 1 March of year 0, so that a leap day ends its year.
        let (era, day) = (days + 730_791).dividedWithFloor(by: 146_097)
        let yearOfEra = (day - day / 1460 + day / 36_524 - day / 146_096) / 365
        let dayOfYear = day - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let month = (5 * dayOfYear + 2) / 153
        let year = yearOfEra + era * 400 + (month >= 10 ? 1 : 0)
        return (year, month < 10 ? month + 3 : month - 9, dayOfYear - (153 * month + 2) / 5 + 1)
    }
}

extension Int {
    /// Quotient and remainder, which is never negative.
    fileprivate func dividedWithFloor(by divisor: Int) -> (Int, Int) {
        let remainder = ((self % divisor) + divisor) % divisor
        return ((self - remainder) / divisor, remainder)
    }
}
