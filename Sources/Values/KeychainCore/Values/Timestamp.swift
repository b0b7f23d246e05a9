// SPDX-License-Identifier: Apache-2.0

/// A point in time: seconds since 2001-01-01T00:00:00Z, as Foundation's `Date` counts them.
package struct Timestamp: Sendable, Hashable, Comparable {
    /// Seconds since the reference date; a fraction keeps the precision of binary64.
    package var secondsSinceReferenceDate: Double

    /// A time, as the number of seconds after 2001-01-01T00:00:00Z.
    package init(secondsSinceReferenceDate: Double) {
        // A negative zero would have a comparison form of its own.
        self.secondsSinceReferenceDate = secondsSinceReferenceDate == 0 ? 0 : secondsSinceReferenceDate
    }

    /// The seconds from 1970-01-01T00:00:00Z to the reference date.
    package static let referenceDateSince1970 = 978_307_200.0

    /// 2001-01-01T00:00:00Z, the default of the date columns of keys.
    package static let referenceDate = Timestamp(secondsSinceReferenceDate: 0)

    /// This time if it is later than another one, else a millisecond after that: for values that have to count as newer
    /// even if the clock was set back.
    package func orJustAfter(_ other: Timestamp?) -> Timestamp {
        guard let other, self <= other else { return self }
        return Timestamp(secondsSinceReferenceDate: other.secondsSinceReferenceDate + 0.001)
    }

    /// Whether one time is earlier than the other.
    package static func < (left: Timestamp, right: Timestamp) -> Bool {
        left.secondsSinceReferenceDate < right.secondsSinceReferenceDate
    }
}
