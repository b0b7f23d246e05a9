// SPDX-License-Identifier: Apache-2.0

import Dispatch
import KeychainCore
import Synchronization

/// The change notices that a program received, in order.
package final class RecordedNotices: Sendable {
    private let notices = Mutex<[ChangeNotice]>([])
    private let arrived = DispatchSemaphore(value: 0)
    private let observation = Mutex<ChangeObservation?>(nil)

    /// Records the notices that are passed to ``record(_:)``.
    package init() {}

    /// Observes a keychain as a program with these groups until it is deallocated.
    package convenience init(_ keychain: any ObservableKeychain, _ groups: [String]) {
        self.init()
        let observation = keychain.observeChanges(as: Client(accessGroups: groups)) { [weak self] in self?.record($0) }
        self.observation.withLock { $0 = observation }
    }

    /// Adds a notice.
    package func record(_ notice: ChangeNotice) {
        notices.withLock { $0.append(notice) }
        arrived.signal()
    }

    /// Whether ``next()`` has returned every notice.
    package var isEmpty: Bool { count == 0 }

    /// The number of notices that ``next()`` has not returned.
    package var count: Int { notices.withLock(\.count) }

    /// The next notice; `nil` if there is none for a minute.
    package func next() -> ChangeNotice? {
        guard arrived.wait(timeout: .now() + .seconds(60)) == .success else { return nil }
        return notices.withLock { $0.removeFirst() }
    }

    /// Whether a notice arrives, perhaps after others.
    package func receives(_ notice: ChangeNotice) -> Bool {
        while let next = next() { if next == notice { return true } }
        return false
    }
}
