// SPDX-License-Identifier: Apache-2.0

import Dispatch
import KeychainHost

/// The threads on which people are asked, one for each prompt: they wait for nobody else's.
final class PromptThreads: Sendable {
    private let group = DispatchGroup()

    /// Runs `body` on a thread of its own.
    ///
    /// - Returns: Whether the system has created it.
    func start(_ body: @escaping @Sendable () -> Void) -> Bool {
        group.enter()
        let isStarted = HostThread.start(.blocked) { [group] in
            body()
            group.leave()
        }
        if !isStarted { group.leave() }
        return isStarted
    }

    /// Waits until all have ended.
    func wait() { group.wait() }
}
