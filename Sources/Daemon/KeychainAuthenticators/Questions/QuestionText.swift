// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// The words of a question.
struct QuestionText: Sendable, Hashable {
    /// The label of the requested input.
    let label: String

    /// Why, and what went wrong before; each a line, without control characters.
    let reason: String?
    let problem: String?

    /// The prompt for a repetition.
    static let repetition = "Repeat"

    /// The message for two answers that differ.
    static let mismatch = "They do not match."

    /// The message for an answer that is too long.
    static let tooLong = "That is longer than 1 MiB."

    /// The words of a prompt; `nil` for one that cannot be answered by typing.
    init?(_ prompt: AuthenticationPrompt) {
        let word =
            switch prompt.kind {
            case .passcode: "Passcode"
            case .applicationPassword: "Application password"
            case .newApplicationPassword: "New application password"
            case .biometry: String?.none
            }
        guard let word else { return nil }
        label = prompt.label.map { PlainText.shown($0) } ?? word
        reason = prompt.reason.isEmpty ? nil : PlainText.shown(prompt.reason)
        problem = prompt.problem.map { PlainText.shown($0) }
    }
}

/// Why a question has no answer.
enum QuestionEnd: Error, Sendable, Hashable {
    case cancelled
    case ended
    case unavailable

    var reply: AuthenticationReply {
        switch self {
        case .cancelled: .cancelled
        case .ended: .ended
        case .unavailable: .unavailable
        }
    }
}

/// Text of a program that is shown to the user.
package enum PlainText {
    /// The most that is shown, in Unicode scalars: a single character can have any number of them.
    package static let longest = 500

    /// A single-line text that can neither move the cursor nor change the writing direction: otherwise a program could
    /// make its text look like someone else's.
    package static func shown(_ text: String, atMost longest: Int = longest) -> String {
        var scalars = String.UnicodeScalarView()
        for scalar in text.unicodeScalars.prefix(longest) { scalars.append(isPlain(scalar) ? scalar : "\u{FFFD}") }
        return text.unicodeScalars.count > longest ? String(scalars) + "…" : String(scalars)
    }

    private static func isPlain(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator: false
        default: true
        }
    }
}
