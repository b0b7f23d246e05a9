// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainServer

/// Asks a person to unlock something for a program, on a thread of its own.
///
/// It waits for the answer, or until the question is cancelled.
package typealias UnlockPrompter = @Sendable (UnlockPrompt) -> UnlockAnswer

/// What a program asks a person to unlock.
package struct UnlockPrompt: Sendable {
    /// The connection of the program, whose commands unlock it.
    package let connection: FrontConnection

    /// Whether the keychain is locked as a whole.
    package let isKeychainLocked: Bool

    /// The items that are locked by themselves, because their access control needs the owner.
    package let items: [ItemIdentifier]

    /// The program's window, in whatever form its toolkit has for that; mostly empty.
    package let window: String

    /// Ends the question: the program dismissed it, or is gone.
    package let cancellation: PromptCancellation
}

/// How an ``UnlockPrompt`` ended.
package enum UnlockAnswer: Sendable {
    /// The person has unlocked it; items that are locked by themselves open with the context, which belongs to the
    /// connection.
    case done(AuthenticationContext?)
    /// The person refused, or nobody could be asked.
    case dismissed
}
