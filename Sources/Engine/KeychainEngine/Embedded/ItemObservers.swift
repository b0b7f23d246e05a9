// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainStore
import Synchronization

/// Those who are told which items a keychain's commits added, changed and removed, whoever asked for it.
final class ItemObservers: Sendable {
    fileprivate struct State {
        var handlers: [UInt64: @Sendable (ItemChangeNotice) -> Void] = [:]
        var nextNumber: UInt64 = 0
        /// The access groups of rows that were written, by their tags: a row that is removed was not opened for that.
        var names: [SearchTag: String] = [:]
    }

    private let state = Mutex(State())
    private let areThereAny = Atomic<Bool>(false)

    /// How many names of groups are remembered, after which all are forgotten.
    fileprivate static let maximumNames = 1_024

    /// Whether there are any.
    var areThere: Bool { areThereAny.load(ordering: .sequentiallyConsistent) }

    /// Adds one, until the observation is deallocated.
    func add(_ handler: @escaping @Sendable (ItemChangeNotice) -> Void) -> ChangeObservation {
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

    /// Tells that anything may have changed.
    func tellUnknown() {
        for handler in state.withLock({ Array($0.handlers.values) }) { handler(.unknown) }
    }

    /// Tells what a commit did; the caller is in a turn, so that notices come in the order of the commits.
    func tell(_ changes: RowChanges) {
        let (handlers, notice) = state.withLock { state in
            (Array(state.handlers.values), changes.areUnknown ? .unknown : state.notice(changes.changes))
        }
        for handler in handlers { handler(notice) }
    }
}

extension ItemObservers.State {
    fileprivate mutating func notice(_ changes: [RowChange]) -> ItemChangeNotice {
        ItemChangeNotice(
            changes.map { change in
                let group = name(of: change) ?? Client.everyGroup
                return ItemChange(change.kind, change.identifier, of: ChangedItems(change.itemClass, in: group))
            }
        )
    }

    private mutating func name(of change: RowChange) -> String? {
        guard let tag = change.groupTag else { return change.accessGroup }
        guard let name = change.accessGroup else { return names[tag] }
        if names.count >= ItemObservers.maximumNames { names = [:] }
        names[tag] = name
        return name
    }
}

extension EmbeddedKeychain {
    package func observeItemChanges(
        _ handler: @escaping @Sendable (ItemChangeNotice) -> Void
    ) -> ChangeObservation? { access.observers.add(handler) }
}
