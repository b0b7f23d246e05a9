// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// What threads report.
package final class Collected<Element: Sendable>: Sendable {
    private let elements = Mutex<[Element]>([])

    /// Nothing yet.
    package init() {}

    /// Takes a report.
    package func append(_ element: Element) { elements.withLock { $0.append(element) } }

    /// The reports since the last ``take()``.
    package var all: [Element] { elements.withLock(\.self) }

    /// The reports since the last call.
    package func take() -> [Element] {
        elements.withLock { elements in
            defer { elements = [] }
            return elements
        }
    }
}
