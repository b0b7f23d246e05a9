// SPDX-License-Identifier: Apache-2.0

import Dispatch
import KeychainCore
import Synchronization

@testable import KeychainSecretService

/// What a person types, one answer after the other; then the person refuses.
final class TypedAnswers: Sendable {
    let texts: Mutex<[String]>
    let asked = Mutex<[UnlockPrompt.Kind]>([])
    /// Whether the person types nothing until the question ends.
    let isWaiting = Mutex(false)
    let isAsked = DispatchSemaphore(value: 0)

    init(_ texts: [String]) { self.texts = Mutex(texts) }

    func answer(_ prompt: UnlockPrompt) -> UnlockAnswer {
        if let lock = prompt.lock { return lock.open { _ in type(for: prompt) } ? .done(nil) : .dismissed }
        return type(for: prompt).map(UnlockAnswer.password) ?? .dismissed
    }

    private func type(for prompt: UnlockPrompt) -> SecretBytes? {
        asked.withLock { $0.append(prompt.kind) }
        isAsked.signal()
        if isWaiting.withLock(\.self) {
            let isOver = DispatchSemaphore(value: 0)
            prompt.cancellation.onCancel { isOver.signal() }
            _ = isOver.wait(timeout: .now() + .seconds(600))
            return nil
        }
        let text = texts.withLock { $0.isEmpty ? nil : $0.removeFirst() }
        return text.map { SecretBytes(Array($0.utf8)) }
    }
}
