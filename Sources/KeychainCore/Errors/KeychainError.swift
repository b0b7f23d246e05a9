// SPDX-License-Identifier: Apache-2.0

/// Why a request failed: the status that Apple's function returns, and the reason in words.
///
/// No error carries the value of an attribute or a secret: reasons name attributes, never what they hold.
public struct KeychainError: Error, Sendable {
    /// What the item function returns.
    public var status: Status

    /// One sentence: what is wrong and, where it helps, what to do.
    public var reason: String

    /// The error underneath, for example of SQLite or of a system call.
    public var cause: (any Error)?

    /// An error of a status.
    public init(_ status: Status, _ reason: String, cause: (any Error)? = nil) {
        self.status = status
        self.reason = reason
        self.cause = cause
    }

    /// An invalid dictionary: `errSecParam`.
    public static func parameter(_ reason: String) -> KeychainError {
        KeychainError(.parameter, reason)
    }
}

extension KeychainError: CustomStringConvertible {
    /// The status by name, the reason, and the cause where the reason does not say it.
    public var description: String {
        let cause = cause.map { "\($0)" }.flatMap { reason.contains($0) ? nil : " (\($0))" } ?? ""
        return "\(status): \(reason)\(cause)"
    }
}
