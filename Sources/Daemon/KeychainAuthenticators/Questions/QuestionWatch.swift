// SPDX-License-Identifier: Apache-2.0

import CKeychainSupport
import Glibc
import KeychainCore
import KeychainHost

/// Waits for the other side of a question, within the time limit of its prompt.
final class QuestionWatch {
    let wakeUp: WakeUp
    private let deadline: Deadline
    private let cancellation: PromptCancellation
    private let handler: Int

    /// The event that ended a wait.
    enum Event {
        /// The descriptor is ready, or will never be.
        case ready
        /// ``wakeUp`` was signalled.
        case woken
        /// Nothing happened for a while.
        case nothing
    }

    /// Returns `nil` if it could not be woken.
    init?(_ prompt: AuthenticationPrompt) {
        guard let wakeUp = WakeUp() else { return nil }
        self.wakeUp = wakeUp
        deadline = Deadline(seconds: prompt.timeoutSeconds)
        cancellation = prompt.cancellation
        handler = cancellation.onCancel { wakeUp.signal() }
    }

    deinit { cancellation.removeHandler(handler) }

    /// Waits until a descriptor can be read or written.
    ///
    /// - Parameters:
    ///   - descriptor: the descriptor.
    ///   - events: what to wait for (poll(2)).
    ///   - milliseconds: after how long to return ``Event/nothing``.
    /// - Returns: What has ended the wait.
    /// - Throws: ``QuestionEnd/ended``.
    func wait(
        for descriptor: Int32,
        _ events: Int32,
        atMost milliseconds: Int32 = .max
    ) throws(QuestionEnd) -> Event {
        while true {
            var states = [
                pollfd(fd: wakeUp.descriptor, events: Int16(POLLIN), revents: 0),
                pollfd(fd: descriptor, events: Int16(events), revents: 0),
            ]
            let count = try poll(&states, atMost: milliseconds)
            if states[0].revents != 0 {
                wakeUp.clear()
                try check()
                return .woken
            }
            if states[1].revents != 0 { return .ready }
            if count == 0, milliseconds < .max { return .nothing }
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
        let rest = deadline.millisecondsLeft
        guard rest > 0 else { throw .ended }
        let count = Glibc.poll(&states, nfds_t(states.count), min(rest, atMost))
        // The states after an interrupted poll are meaningless.
        if count < 0 { for index in states.indices { states[index].revents = 0 } }
        return count
    }
}
