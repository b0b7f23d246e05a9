// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// Why a passcode has to be entered once more, in words for the user.
enum PasscodeProblem {
    case wrong(secondsUntilNext: Double)
    case tooSoon(seconds: Double)

    /// `nil` for an error after which there is nothing to ask.
    init?(_ error: KeychainError) {
        switch error.kind {
        case .device(.wrongPasscode(_, let seconds)): self = .wrong(secondsUntilNext: seconds)
        case .device(.attemptTooSoon(let seconds)): self = .tooSoon(seconds: seconds)
        case .device(.emptyPasscode): self = .wrong(secondsUntilNext: 0)
        default: return nil
        }
    }

    /// What the user is told.
    var text: String {
        switch self {
        case .wrong(0): "Wrong passcode. Try again."
        case .wrong(let seconds): "Wrong passcode. Try again in \(Self.text(seconds))."
        case .tooSoon(let seconds): "Too many wrong passcodes. Try again in \(Self.text(seconds))."
        }
    }

    /// A time in words, rounded up: an attempt then is not too early.
    private static func text(_ seconds: Double) -> String {
        let whole = Int(seconds.rounded(.up))
        let (count, unit) = whole > 90 ? ((whole + 59) / 60, "minute") : (whole, "second")
        return "\(count) \(unit)\(count == 1 ? "" : "s")"
    }
}
