// SPDX-License-Identifier: Apache-2.0

/// How long to wait before a bus is tried again: longer each time.
package struct RetryPauses: Sendable {
    private var milliseconds: Int32 = 500
    private static let longest: Int32 = 60_000

    /// The first pause is half a second.
    package init() {}

    /// The next pause in milliseconds.
    package mutating func next() -> Int32 {
        defer { milliseconds = min(milliseconds * 2, Self.longest) }
        return milliseconds
    }
}
