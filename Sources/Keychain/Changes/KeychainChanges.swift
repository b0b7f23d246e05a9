// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The changes that this process makes through this module, from the moment on in which this was asked for.
///
/// Only successful ones. What other processes change, and what this one changes by `SecItem…` functions, is not seen:
/// Apple's keychain tells nobody. For each who listens, ask for ``KeychainProtocol/changes`` once, and iterate it once.
/// The last 256 changes wait; when there are more, ``KeychainChange/missed(_:)`` comes first. The iteration ends when
/// its task is cancelled.
///
/// A change is announced after it is stored, and outside of every lock. Of changes of one task the order is that of its
/// calls; when several change an item at once, the order may be another one than that in the keychain: read the item to
/// see what it holds.
///
/// The changes are those of the program as it was when they were asked for. In a test, an app whose entitlements were
/// changed is another one: ask for the changes again then.
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

/// Something that this process changed in the keychain through this module; never what an item holds.
public enum KeychainChange: Sendable {
    /// An item was added.
    case added(any KeychainItem)
    /// An item was set: added, or changed.
    case set(any KeychainItem)
    /// An item was changed, and is the second one from now on.
    case updated(any KeychainItem, now: any KeychainItem)
    /// An item was deleted.
    case deleted(any KeychainItem)
    /// Many items were deleted: the class, and the selection in words.
    case deletedAll(ItemKey.Class, selection: String)
    /// The listener was too slow, and so many changes before the next one are lost: read again what you need.
    case missed(Int)
}

/// Passes on what this process changes.
final class ChangeCenter: Sendable {
    static let shared = ChangeCenter()

    private let listeners = Guarded<[ObjectIdentifier: Listener]>([:])

    private struct Listener {
        weak var value: ChangeListener?
    }

    func listen(_ scope: ChangeScope) -> ChangeListener {
        let listener = ChangeListener(scope)
        listeners.withLock { listeners in
            listeners = listeners.filter { $0.value.value != nil }
            listeners[ObjectIdentifier(listener)] = Listener(value: listener)
        }
        return listener
    }

    func announce(_ change: KeychainChange, in scope: @autoclosure () -> ChangeScope) {
        let all = listeners.withLock { $0.values.compactMap(\.value) }
        guard !all.isEmpty else { return }
        let scope = scope()
        for listener in all where listener.scope == scope { listener.deliver(change) }
    }
}

/// One who listens: a buffer with an end, and a task that waits.
final class ChangeListener: Sendable {
    let scope: ChangeScope
    private let state = Guarded(State())

    private struct State {
        var changes: [KeychainChange] = []
        var missed = 0
        var waiting: (number: Int, CheckedContinuation<KeychainChange?, Never>)?
        var lastNumber = 0
        var cancelled: Set<Int> = []
    }

    /// How many changes wait for a listener; older ones give way.
    static let capacity = 256

    init(_ scope: ChangeScope) { self.scope = scope }

    func deliver(_ change: KeychainChange) {
        let waiting = state.withLock { state -> CheckedContinuation<KeychainChange?, Never>? in
            if let waiting = state.waiting {
                state.waiting = nil
                return waiting.1
            }
            if state.changes.count == Self.capacity {
                state.changes.removeFirst()
                state.missed += 1
            }
            state.changes.append(change)
            return nil
        }
        waiting?.resume(returning: change)
    }

    /// The next change; `nil` when the task is cancelled.
    func next() async -> KeychainChange? {
        let number = state.withLock { state in
            state.lastNumber += 1
            return state.lastNumber
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in wait(number, continuation) }
        } onCancel: {
            cancel(number)
        }
    }

    private func wait(_ number: Int, _ continuation: CheckedContinuation<KeychainChange?, Never>) {
        enum Outcome {
            case waits
            case has(KeychainChange?)
        }
        let outcome = state.withLock { state -> Outcome in
            if state.cancelled.remove(number) != nil { return .has(nil) }
            if state.missed > 0 {
                defer { state.missed = 0 }
                return .has(.missed(state.missed))
            }
            if !state.changes.isEmpty { return .has(state.changes.removeFirst()) }
            // One task iterates; a second one that waits as well gets the end.
            if state.waiting != nil { return .has(nil) }
            state.waiting = (number, continuation)
            return .waits
        }
        if case .has(let change) = outcome { continuation.resume(returning: change) }
    }

    private func cancel(_ number: Int) {
        let waiting = state.withLock { state -> CheckedContinuation<KeychainChange?, Never>? in
            guard let waiting = state.waiting, waiting.number == number else {
                state.cancelled.insert(number)
                return nil
            }
            state.waiting = nil
            return waiting.1
        }
        waiting?.resume(returning: nil)
    }
}
