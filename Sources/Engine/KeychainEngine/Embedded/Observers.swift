// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import Synchronization

/// Those who are told of something, each until its observation is deallocated.
final class Observers<Notice>: Sendable {
    private struct State {
        var handlers: [UInt64: @Sendable (Notice) -> Void] = [:]
        var nextNumber: UInt64 = 0
    }

    private let state = Mutex(State())
    private let areThereAny = Atomic<Bool>(false)

    /// Whether there are any.
    var areThere: Bool { areThereAny.load(ordering: .sequentiallyConsistent) }

    /// Adds one, until the observation is deallocated.
    func add(_ handler: @escaping @Sendable (Notice) -> Void) -> ChangeObservation {
        let number = state.withLock { state in
            defer { state.nextNumber += 1 }
            state.handlers[state.nextNumber] = handler
            areThereAny.store(true, ordering: .sequentiallyConsistent)
            return state.nextNumber
        }
        return ChangeObservation { [weak self] in self?.remove(number) }
    }

    private func remove(_ number: UInt64) {
        state.withLock { state in
            state.handlers[number] = nil
            areThereAny.store(!state.handlers.isEmpty, ordering: .sequentiallyConsistent)
        }
    }

    /// Tells all.
    func tell(_ notice: Notice) {
        guard areThere else { return }
        for handler in state.withLock({ Array($0.handlers.values) }) { handler(notice) }
    }
}
