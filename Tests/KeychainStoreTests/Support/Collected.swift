// SPDX-License-Identifier: Apache-2.0

import KeychainStore
import Synchronization

/// What threads report.
final class Collected<Element: Sendable>: Sendable {
    private let elements = Mutex<[Element]>([])

    func append(_ element: Element) { elements.withLock { $0.append(element) } }

    var all: [Element] { elements.withLock(\.self) }
}

extension StoreOptions {
    /// Waits for a minute, for tests of many at once on a machine that has other things to do.
    static var patient: StoreOptions { StoreOptions(busyTimeoutMilliseconds: 60_000) }
}
