// SPDX-License-Identifier: Apache-2.0

#if !canImport(Darwin)
import KeychainCore
#endif

/// A listener: a bounded buffer of changes, and a task that waits for them.
final class ChangeListener: Sendable {
    let scope: ChangeScope
    private let state = LockedValue(State())
    #if !canImport(Darwin)
    private let observation = LockedValue<ChangeObservation?>(nil)
    #endif

    private struct State {
        var changes: [KeychainChange] = []
        var missed = 0
        var hasMissedOthers = false
        var waiting: (number: Int, CheckedContinuation<KeychainChange?, Never>)?
        var lastNumber = 0
        var cancelled: Set<Int> = []
    }

    /// The maximum number of buffered changes; older ones are dropped.
    static let capacity = 256

    init(_ scope: ChangeScope) { self.scope = scope }

    #if !canImport(Darwin)
    /// Observes other programs' changes, if the keychain supports it.
    func observeOthers() {
        let observation = scope.observe { [weak self] notice in
            guard let self else { return }
            for change in notice.changes { deliver(change) }
        }
        self.observation.withLock { $0 = observation }
    }
    #else
    /// There are no notifications of other programs' changes.
    func observeOthers() {}
    #endif

    func deliver(_ change: KeychainChange) {
        let waiting = state.withLock { state -> CheckedContinuation<KeychainChange?, Never>? in
            if let waiting = state.waiting {
                state.waiting = nil
                return waiting.1
            }
            if case .missed = change {
                // A listener that has to read everything again does not need each part.
                state.changes.removeAll { $0.isElsewhere }
                state.hasMissedOthers = true
                return nil
            }
            if change.isElsewhere, state.hasMissedOthers || state.changes.contains(where: { $0.isSame(as: change) }) {
                return nil
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
            if state.hasMissedOthers {
                state.hasMissedOthers = false
                return .has(.missed(nil))
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

extension KeychainChange {
    /// Whether another program made the change.
    fileprivate var isElsewhere: Bool { elsewhere != nil }

    /// Whether both are notifications of other programs' changes of the same items.
    fileprivate func isSame(as other: KeychainChange) -> Bool {
        guard let own = elsewhere, let others = other.elsewhere else { return false }
        return own.itemClass == others.itemClass && own.group.utf8.elementsEqual(others.group.utf8)
    }

    private var elsewhere: (itemClass: ItemKey.Class, group: String)? {
        if case .changedElsewhere(let itemClass, let group) = self { (itemClass, group) } else { nil }
    }
}

#if !canImport(Darwin)
extension ChangeNotice {
    /// The changes for a listener.
    fileprivate var changes: [KeychainChange] {
        guard case .changed(let items) = self else { return [.missed(nil)] }
        let sorted = items.sorted { ($0.accessGroup, $0.itemClass.rawValue) < ($1.accessGroup, $1.itemClass.rawValue) }
        return sorted.compactMap { items in
            ItemKey.Class(items.itemClass).map { .changedElsewhere($0, accessGroup: items.accessGroup) }
        }
    }
}

extension ItemKey.Class {
    /// A class that has a table.
    fileprivate init?(_ itemClass: ItemClass) {
        switch itemClass {
        case .genericPassword: self = .genericPassword
        case .internetPassword: self = .internetPassword
        case .key: self = .key
        case .certificate: self = .certificate
        case .identity: return nil
        }
    }
}
#endif
