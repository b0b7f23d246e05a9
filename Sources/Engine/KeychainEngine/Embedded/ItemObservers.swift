// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainStore

/// Those who are told which items a keychain's commits added, changed and removed, whoever asked for it.
final class ItemObservers: Sendable {
    private let observers = Observers<ItemChangeNotice>()
    private let knownGroups: KnownGroups

    /// Nobody yet.
    ///
    /// - Parameter knownGroups: the access groups by their tags: a row that is removed is not opened for that.
    init(_ knownGroups: KnownGroups) { self.knownGroups = knownGroups }

    /// Whether there are any.
    var areThere: Bool { observers.areThere }

    /// Adds one, until the observation is deallocated.
    func add(_ handler: @escaping @Sendable (ItemChangeNotice) -> Void) -> ChangeObservation { observers.add(handler) }

    /// Tells that anything may have changed.
    func tellUnknown() { observers.tell(.unknown) }

    /// Tells what a commit did; the caller is in a turn, so that notices come in the order of the commits.
    func tell(_ changes: RowChanges) { observers.tell(changes.areUnknown ? .unknown : notice(changes.changes)) }

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

    package func observeLocks(_ handler: @escaping @Sendable () -> Void) -> ChangeObservation? {
        access.session.observers.add(handler)
    }
}
