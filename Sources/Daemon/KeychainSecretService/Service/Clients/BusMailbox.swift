// SPDX-License-Identifier: Apache-2.0

import KeychainHost
import Synchronization

/// What other threads have for the thread of the bus to do.
final class BusMailbox: Sendable {
    /// Something to do there.
    typealias Task = @Sendable (SecretService) -> Void

    private let wakeUp: WakeUp
    private let tasks = Mutex<[Task]>([])

    /// An empty one; `nil` if there are no descriptors left.
    init?() {
        guard let wakeUp = WakeUp() else { return nil }
        self.wakeUp = wakeUp
    }

    /// Readable while something is to be done.
    var descriptor: Int32 { wakeUp.descriptor }

    /// Adds something to do.
    func post(_ task: @escaping Task) {
        tasks.withLock { $0.append(task) }
        wakeUp.signal()
    }

    /// Takes everything that is to be done.
    func take() -> [Task] {
        wakeUp.clear()
        return tasks.withLock { tasks in
            defer { tasks = [] }
            return tasks
        }
    }
}
