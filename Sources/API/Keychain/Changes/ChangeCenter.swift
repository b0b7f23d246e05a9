// SPDX-License-Identifier: Apache-2.0

/// Passes on what this process changes.
final class ChangeCenter: Sendable {
    static let shared = ChangeCenter()

    private let listeners = LockedValue<[ObjectIdentifier: Listener]>([:])

    private struct Listener {
        weak var value: ChangeListener?
    }

    func listen(_ scope: ChangeScope) -> ChangeListener {
        let listener = ChangeListener(scope)
        listener.observeOthers()
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
