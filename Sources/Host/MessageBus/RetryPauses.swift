// SPDX-License-Identifier: Apache-2.0

/// How long to wait before a bus is tried again: longer each time.
package struct RetryPauses: Sendable {
    private var milliseconds: Int32
    private static let first: Int32 = 500
    private static let longest: Int32 = 60_000

    /// The first pause is half a second.
    package init() { milliseconds = Self.first }

    /// After a connection that has lasted there is no first pause.
    package static var none: RetryPauses {
        var pauses = RetryPauses()
        pauses.milliseconds = 0
        return pauses
    }

    /// The next pause in milliseconds.
    package mutating func next() -> Int32 {
        defer { milliseconds = milliseconds == 0 ? Self.first : min(milliseconds * 2, Self.longest) }
        return milliseconds
    }
}
