// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// Why a command failed: one sentence, without secrets.
struct Refusal: Error, Hashable, CustomStringConvertible {
    let description: String

    /// The exit status of the program.
    let status: Status

    /// Exit statuses; the last four are those of commands that name items.
    enum Status: Int32, Sendable {
        case failed = 1
        case usage = 2
        case notFound = 3
        case ambiguous = 4
        /// The keychain is locked, or the item may not be read.
        case locked = 5
        case unreadable = 6
    }

    init(_ description: String, _ status: Status = .failed) {
        (self.description, self.status) = (description, status)
    }

    /// Creates a refusal from an error of the keychain or its device.
    init(_ error: KeychainError) {
        switch error.kind {
        case .device(.wrongPasscode(let failedAttempts, let seconds)):
            let wait = seconds > 0 ? "; next attempt in \(Duration.text(seconds))" : ""
            self.init(
                "the passcode is wrong, \(Count.text(failedAttempts, "wrong one")) in a row\(wait)\(Self.remedy(error))"
            )
        case .device(.attemptTooSoon(let seconds)):
            let delay = Duration.text(seconds)
            self.init(
                "after wrong passcodes, the next attempt is allowed in \(delay); this one was not checked\(Self.remedy(error))"
            )
        case .device(.locked):
            self.init("\(error.reason); 'keychainctl device unlock -- COMMAND' runs a command unlocked")
        case .device(.noRecoveryKey):
            self.init("\(error.reason); 'keychainctl recovery-key create' makes one, with the passcode")
        default: self.init(error.reason)
        }
    }

    /// A line of its own, after a passcode that was refused.
    private static func remedy(_ error: KeychainError) -> String {
        guard case .device(let refusal) = error.kind, let remedy = refusal.remedyIfForgotten else { return "" }
        return "\n\(remedy)"
    }
}

/// Runs a closure that throws keychain errors, and rethrows them as refusals.
func refusing<Result>(_ body: () throws(KeychainError) -> Result) throws(Refusal) -> Result {
    do { return try body() } catch { throw Refusal(error) }
}

/// A number of things, in words.
enum Count {
    static func text(_ count: Int, _ thing: String) -> String { "\(count) \(thing)\(count == 1 ? "" : "s")" }
}

/// Seconds, in words, rounded up: a retry is never too early.
enum Duration {
    static func text(_ seconds: Double) -> String {
        Count.text(Int(exactly: seconds.rounded(.up)) ?? .max, "second")
    }
}
