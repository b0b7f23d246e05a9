// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import MessageBus

/// Announces changes of keychain files, which other processes make: `security` and their daemon.
extension SecretService {
    /// What is known of the keychain files while there are clients.
    struct FileState {
        /// What was announced last; `nil` while nobody listens.
        var announced: FileSnapshot?
        /// Whether they are being read.
        var isReading = false
        /// Whether they may have changed since, and so are read again afterwards.
        var isStale = false
        /// What is to be done once that is announced, too.
        var waiting: [BusMailbox.Task] = []
    }

    /// Looks at the keychain files on another thread, and announces what has changed; not while nobody listens.
    func refreshFiles() {
        guard let collections = surroundings.options.files, let former = files.announced else { return }
        guard !files.isReading else {
            files.isStale = true
            return
        }
        (files.isReading, files.isStale) = (true, false)
        addNotice { [mailbox] in
            let snapshot = FileSnapshot(of: collections, after: former)
            mailbox.post { $0.announce(snapshot) }
        }
    }

    private func announce(_ snapshot: FileSnapshot) {
        let waiting = files.waiting
        (files.isReading, files.waiting) = (false, [])
        // Otherwise everybody has left meanwhile.
        guard let former = files.announced else {
            files.isStale = false
            return
        }
        files.announced = snapshot
        announceCollections(snapshot, after: former)
        if snapshot.loginLabel != former.loginLabel {
            emitProperties([(.collectionLabel, .text(snapshot.loginLabel))], of: .collection(.login), to: .filePrograms)
            emit(.collectionChanged, .login, to: .filePrograms)
        }
        for entry in snapshot.entries {
            tellPrompts(of: entry.shown.collection, isLocked: entry.shown.details.isLocked)
            guard let former = former.entry(entry.shown.collection) else { continue }
            announceProperties(entry.shown, after: former.shown)
            announceItems(entry, after: former)
        }
        if files.isStale { refreshFiles() }
        for body in waiting { afterNotices(body) }
    }

    private func announceCollections(_ snapshot: FileSnapshot, after former: FileSnapshot) {
        let (now, before) = (snapshot.entries.map(\.shown.collection), former.entries.map(\.shown.collection))
        guard now != before else { return }
        for collection in before where !now.contains(collection) {
            for client in clients.values { client.told.forget(collection) }
            emit(.collectionDeleted, collection, to: .filePrograms)
        }
        for collection in now where !before.contains(collection) {
            emit(.collectionCreated, collection, to: .filePrograms)
        }
        let paths = (CollectionName.fixed + now).map { ObjectPath.collection($0).text }
        emitProperties([(.collections, .paths(paths))], of: .service, to: .filePrograms)
    }

    private func announceProperties(_ shown: ShownFile, after former: ShownFile) {
        let hasLockChanged = shown.details.isLocked != former.details.isLocked
        var changed: [Property] = []
        if shown.label != former.label { changed.append(.collectionLabel) }
        if hasLockChanged { changed.append(.collectionLocked) }
        if shown.details.modified != former.details.modified { changed.append(.collectionModified) }
        guard !changed.isEmpty else { return }
        emitProperties(
            changed.map { ($0, shown.value($0)) },
            of: .collection(shown.collection),
            to: .filePrograms
        )
        emit(.collectionChanged, shown.collection, to: .filePrograms)
        if hasLockChanged { noteLockChange(of: shown.collection) }
    }

    private func announceItems(_ entry: FileSnapshot.Entry, after former: FileSnapshot.Entry) {
        let collection = entry.shown.collection
        var changes: [(ItemChange.Kind, ItemIdentifier)] = []
        for (item, modified) in entry.items {
            switch former.items[item] {
            case nil: changes.append((.added, item))
            case .some(modified): break
            default: changes.append((.changed, item))
            }
        }
        for item in former.items.keys where entry.items[item] == nil { changes.append((.removed, item)) }
        guard !changes.isEmpty else { return }
        for (kind, item) in changes {
            emit(Signal(kind), at: .collection(collection), to: .filePrograms) { message throws(BusError) in
                try message.append(ObjectPath.item(collection, item).text, as: "o")
            }
        }
        // Keychain files have no groups, and followers ask for none.
        let items = ChangedItems(.genericPassword, in: "")
        tellFollowers(of: .changes(changes.map { ItemChange($0.0, $0.1, of: items) }), in: collection)
    }
}
