// SPDX-License-Identifier: Apache-2.0

import CredentialHelpers
import KeychainCore

/// When a password expires, as people write it.
enum ExpiryDate: Hashable {
    case never
    case at(Timestamp)

    /// The forms of it, for a message.
    static let forms = "2027-02-27, 2027-02-27T12:00:00Z, 90d, 12w or never"

    /// Reads a day, which begins at 00:00 UTC, a time (RFC 3339), days (`d`) or weeks (`w`) from now on, or `never`.
    ///
    /// - Returns: `nil` for any other text, or a time after the year 9999.
    init?(_ text: String, now: Int) {
        if text == "never" {
            self = .never
            return
        }
        if let length = Self.seconds(of: text) {
            self = .at(Timestamp(unix: now + length))
            return
        }
        let day = String(text.prefix(10))
        guard let start = InternetTime.seconds("\(day)T00:00:00Z"),
            // A month has days that others do not have.
            TimeText.day(Timestamp(unix: start)) == day
        else { return nil }
        guard text != day else {
            self = .at(Timestamp(unix: start))
            return
        }
        guard let seconds = InternetTime.seconds(text) else { return nil }
        self = .at(Timestamp(unix: seconds))
    }

    /// The seconds of `90d` or `12w`, of a hundred years or less; `nil` for any other text.
    static func seconds(of text: String) -> Int? {
        let digits = text.dropLast()
        guard !digits.isEmpty, digits.utf8.count <= 5, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            let count = Int(digits)
        else { return nil }
        let days =
            switch text.last {
            case "d": count
            case "w": 7 * count
            default: Int.max
            }
        return days <= 36_525 ? days * 86_400 : nil
    }
}

extension Timestamp {
    /// A time in seconds since 1970.
    init(unix seconds: Int) {
        self.init(secondsSinceReferenceDate: Double(seconds) - Self.referenceDateSince1970)
    }
}
