// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainStore
import Synchronization

/// Those who are told which items a keychain's commits added, changed and removed, whoever asked for it.
final class ItemObservers: Sendable {
    fileprivate struct State {
        var handlers: [UInt64: @Sendable (ItemChangeNotice) -> Void] = [:]
        var nextNumber: UInt64 = 0
    }

    private let state = Mutex(State())
    private let areThereAny = Atomic<Bool>(false)
    private let knownGroups: KnownGroups

    /// Nobody yet.
    ///
    /// - Parameter knownGroups: the access groups by their tags: a row that is removed is not opened for that.
    init(_ knownGroups: KnownGroups) { self.knownGroups = knownGroups }

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
        let notice = changes.areUnknown ? .unknown : notice(changes.changes)
        for handler in state.withLock({ Array($0.handlers.values) }) { handler(notice) }
    }

    private func notice(_ changes: [RowChange]) -> ItemChangeNotice {
        ItemChangeNotice(
            changes.map { change in
                let group = name(of: change) ?? Client.everyGroup
                return ItemChange(change.kind, change.identifier, of: ChangedItems(change.itemClass, in: group))
            }
        )
    }

    private func name(of change: RowChange) -> String? {
        guard let tag = change.groupTag else { return change.accessGroup }
        guard let name = change.accessGroup else { return knownGroups.name(tag) }
        knownGroups.insert(name, tag)
        return name
    }
}

extension EmbeddedKeychain {
    package func observeItemChanges(
        _ handler: @escaping @Sendable (ItemChangeNotice) -> Void
    ) -> ChangeObservation? { access.observers.add(handler) }
}
