// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainServer

/// Asks a person something for a program, on a thread of its own.
///
/// It waits for the answer, or until the question is cancelled.
package typealias UnlockPrompter = @Sendable (UnlockPrompt) -> UnlockAnswer

/// What a program has a person asked for.
package struct UnlockPrompt: Sendable {
    /// What is asked for.
    package let kind: Kind

    /// The connection of the program, whose commands unlock it.
    package let connection: FrontConnection

    /// The program's window, in whatever form its toolkit has for that; mostly empty.
    package let window: String

    /// Ends the question: the program dismissed it, is gone, or what it is for was unlocked or locked otherwise.
    package let cancellation: PromptCancellation

    /// The kinds of questions.
    package enum Kind: Sendable, Hashable {
        /// To unlock the keychain, if it is locked as a whole, and items that are locked by themselves, because their
        /// access control needs the owner.
        case unlock(isKeychainLocked: Bool, items: [ItemIdentifier])
        /// The password of a collection with a lock of its own, and what was wrong with the last one.
        case password(ofCollection: String, problem: String?)
        /// A new password for a collection with a lock of its own, to be entered twice.
        case newPassword(ofCollection: String)
    }

    /// A question.
    package init(
        _ kind: Kind,
        for connection: FrontConnection,
        window: String,
        cancellation: PromptCancellation
    ) {
        self.kind = kind
        self.connection = connection
        self.window = window
        self.cancellation = cancellation
    }
}

/// How an ``UnlockPrompt`` ended.
package enum UnlockAnswer: Sendable {
    /// The person has unlocked it; items that are locked by themselves open with the context, which belongs to the
    /// connection.
    case done(AuthenticationContext?)
    /// The password that was asked for, which nobody has verified.
    case password(SecretBytes)
    /// The person refused, or nobody could be asked.
    case dismissed
}
