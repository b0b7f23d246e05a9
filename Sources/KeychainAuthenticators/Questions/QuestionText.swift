// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// The words of a question.
struct QuestionText: Sendable, Hashable {
    /// What is asked for.
    let label: String

    /// Why, and what went wrong before; each a line, without control characters.
    let reason: String?
    let problem: String?

    /// What asks for the same once more.
    static let repetition = "The same again"

    /// What is wrong with two answers that differ.
    static let mismatch = "The two are not the same."

    /// What is wrong with an answer that nothing could take.
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
        label = prompt.label.map(PlainText.shown) ?? word
        reason = prompt.reason.isEmpty ? nil : PlainText.shown(prompt.reason)
        problem = prompt.problem.map(PlainText.shown)
    }
}
