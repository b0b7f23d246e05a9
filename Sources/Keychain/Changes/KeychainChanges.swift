// SPDX-License-Identifier: Apache-2.0

/// The changes that this process makes through this module, from the moment on in which this was asked for.
///
/// Only successful ones. What other processes change, and what this one changes by `SecItem…` functions, is not seen: Apple's
/// keychain tells nobody. For each who listens, ask for ``KeychainProtocol/changes`` once, and iterate it once. The last 256 changes
/// wait; when there are more, ``KeychainChange/missed(_:)`` comes first. The iteration ends when its task is cancelled.
///
/// A change is announced after it is stored, and outside of every lock. Of changes of one task the order is that of its calls; when
/// several change an item at once, the order may be another one than that in the keychain: read the item to see what it holds.
///
/// The changes are those of the program as it was when they were asked for. In a test, an app whose entitlements were changed is
/// another one: ask for the changes anew then.
public struct KeychainChanges: AsyncSequence, Sendable {
    /// Changes.
    public typealias Element = KeychainChange

    private let listener: ChangeListener?

    init(_ listener: ChangeListener?) { self.listener = listener }

    /// No change, ever: for conformers that announce none.
    public static let none = KeychainChanges(nil)

    /// Begins to iterate.
    public func makeAsyncIterator() -> Iterator { Iterator(listener: listener) }

    /// Hands out one change after the other.
    public struct Iterator: AsyncIteratorProtocol {
        let listener: ChangeListener?

        /// The next change; `nil` when the task is cancelled.
        public mutating func next() async -> KeychainChange? { await listener?.next() }
    }
}
