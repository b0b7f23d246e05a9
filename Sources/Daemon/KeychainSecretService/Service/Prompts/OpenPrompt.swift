// SPDX-License-Identifier: Apache-2.0

import KeychainServer

/// A prompt that was given to a client, and has not ended; for the thread of the bus.
final class OpenPrompt {
    let purpose: Purpose

    /// Whether a person is asked.
    var isShown = false

    let questions = PromptQuestions()

    /// What a prompt is for.
    enum Purpose: Sendable {
        /// It unlocks what is at some paths, as they were asked for, whose memory counts as the program's.
        case unlock([String], held: HeldBytes?)
        /// It creates a collection.
        case create(CollectionCreation)

        /// The result of one that was refused.
        var dismissed: Result {
            switch self {
            case .unlock: .unlocked(nil)
            case .create: .created(nil)
            }
        }
    }

    /// How a prompt ended; `nil` if it was refused.
    enum Result: Sendable {
        /// The paths that are open then.
        case unlocked([String]?)
        /// The collection.
        case created(CollectionName?)

        var isDismissed: Bool {
            switch self {
            case .unlocked(let paths): paths == nil
            case .created(let collection): collection == nil
            }
        }
    }

    init(_ purpose: Purpose) { self.purpose = purpose }
}
