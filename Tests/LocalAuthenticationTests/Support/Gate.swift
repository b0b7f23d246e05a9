// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Lets nobody through until it is opened, once and for all.
final class Gate: @unchecked Sendable {
    // What makes the class Sendable: it guards the flag.
    private let condition = NSCondition()
    private var isOpen = false

    func open() {
        condition.withLock {
            isOpen = true
            condition.broadcast()
        }
    }

    /// Waits until the gate is open; `false` when nobody opened it within ten minutes.
    func wait() -> Bool {
        let limit = Date(timeIntervalSinceNow: 600)
        return condition.withLock {
            while !isOpen { if !condition.wait(until: limit) { return isOpen } }
            return true
        }
    }
}
