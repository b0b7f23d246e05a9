// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainCore
import Testing

/// A question that is being asked in a thread of its own.
final class Asking: Sendable {
    private let answer = Answer()
    private let isDone = DispatchSemaphore(value: 0)

    // Written once, before the semaphore is signalled.
    private final class Answer: @unchecked Sendable {
        var reply: AuthenticationReply?
    }

    struct NoReply: Error {}

    init(_ authenticator: any Authenticator, _ prompt: AuthenticationPrompt) {
        Thread.detachNewThread { [answer, isDone] in
            answer.reply = authenticator.ask(prompt)
            isDone.signal()
        }
    }

    /// The reply, which must come within ten minutes.
    func reply() throws -> AuthenticationReply {
        guard isDone.wait(timeout: .now() + 600) == .success, let reply = answer.reply else { throw NoReply() }
        isDone.signal()
        return reply
    }
}

extension AuthenticationReply {
    /// What was typed, as text.
    static func text(_ text: String) -> AuthenticationReply { .secret(SecretBytes(Array(text.utf8))) }
}
