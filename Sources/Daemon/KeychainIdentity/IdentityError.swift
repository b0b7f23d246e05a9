// SPDX-License-Identifier: Apache-2.0

/// Why a proof of a program's identity is rejected: one sentence without a period, for display.
package struct IdentityError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The problem and, where it helps, the remedy.
    package let description: String

    init(_ description: String) { self.description = description }

    /// A call of the system that failed with the current `errno`.
    static func system(_ call: String, on subject: String, failure: Int32) -> IdentityError {
        IdentityError("\(call) of \(subject) failed: \(SystemText.of(failure))")
    }
}
