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

    /// The connection of the program, whose commands unlock the keychain.
    package let connection: FrontConnection

    /// What the password opens that is asked for; `nil` for the other kinds.
    package let lock: PasswordLock?

    /// Ends the question: the program dismissed it, is gone, or what it is for was unlocked or locked otherwise.
    package let cancellation: PromptCancellation

    /// The kinds of questions.
    package enum Kind: Sendable, Hashable {
        /// To unlock the keychain.
        case keychain
        /// To open items that are locked by themselves, because their access control needs the owner.
        case items([ItemIdentifier])
        /// The password of a collection with a lock of its own.
        case password(ofCollection: String)
        /// A new password for a collection with a lock of its own, to be entered twice.
        case newPassword(ofCollection: String)
    }

    /// A question.
    package init(
        _ kind: Kind,
        for connection: FrontConnection,
        opening lock: PasswordLock? = nil,
        cancellation: PromptCancellation
    ) {
        self.kind = kind
        self.connection = connection
        self.lock = lock
        self.cancellation = cancellation
    }
}

/// How an ``UnlockPrompt`` ended.
package enum UnlockAnswer: Sendable {
    /// The person has unlocked it; items that are locked by themselves open with the context, which belongs to the
    /// connection.
    case done(AuthenticationContext?)
    /// The new password that was asked for.
    case password(SecretBytes)
    /// The person refused, or nobody could be asked.
    case dismissed
}
