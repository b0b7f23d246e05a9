// SPDX-License-Identifier: Apache-2.0

import Glibc
import KeychainCore

/// Waits for the other side of a question, for no longer than its prompt may take.
final class QuestionWatch {
    let wakeUp: WakeUp
    private let deadline: Deadline
    private let cancellation: PromptCancellation
    private let handler: Int

    /// What came.
    enum Event {
        /// The descriptor is ready, or will never be.
        case ready
        /// Somebody signalled ``wakeUp``.
        case woken
    }

    /// Returns `nil` when there is nothing to be woken by.
    init?(_ prompt: AuthenticationPrompt) {
        guard let wakeUp = WakeUp() else { return nil }
        self.wakeUp = wakeUp
        deadline = Deadline(in: prompt.timeoutSeconds)
        cancellation = prompt.cancellation
        handler = cancellation.onCancel { wakeUp.signal() }
    }

    deinit { cancellation.removeHandler(handler) }

    /// Waits until a descriptor can be read or written.
    ///
    /// - Throws: ``QuestionEnd/ended``.
    func wait(for descriptor: Int32, _ events: Int32) throws(QuestionEnd) -> Event {
        while true {
            var states = [
                pollfd(fd: wakeUp.descriptor, events: Int16(POLLIN), revents: 0),
                pollfd(fd: descriptor, events: Int16(events), revents: 0),
            ]
            _ = try poll(&states, atMost: .max)
            if states[0].revents != 0 {
                wakeUp.clear()
                try check()
                return .woken
            }
            if states[1].revents != 0 { return .ready }
        }
    }

    /// Waits for some time.
    ///
    /// - Throws: ``QuestionEnd/ended``.
    func pause(milliseconds: Int32) throws(QuestionEnd) {
        var states: [pollfd] = []
        _ = try poll(&states, atMost: milliseconds)
    }

    private func check() throws(QuestionEnd) {
        if cancellation.isCancelled { throw .ended }
    }

    private func poll(_ states: inout [pollfd], atMost: Int32) throws(QuestionEnd) -> Int32 {
        try check()
        let rest = deadline.milliseconds
        guard rest > 0 else { throw .ended }
        let count = Glibc.poll(&states, nfds_t(states.count), min(rest, atMost))
        // What an interrupted poll left in the states has no meaning.
        if count < 0 { for index in states.indices { states[index].revents = 0 } }
        return count
    }
}
