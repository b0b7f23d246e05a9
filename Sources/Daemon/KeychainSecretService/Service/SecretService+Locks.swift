// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import MessageBus

/// Announcing that the keychain, or a keychain file, was locked or unlocked, in whatever way.
///
/// The keychain tells of each change in the midst of it. What it is then is read by another thread, one change after
/// the other, so that the last that is announced is what it is.
extension SecretService {
    /// Has something be done after what was added before it, for no client.
    func addNotice(_ job: @escaping ClientWork.Job) { surroundings.work.add(for: 0, of: 0, job) }

    /// Announces whether the keychain is locked, once that was found out.
    func lookAtLock() {
        let (surroundings, mailbox) = (surroundings, mailbox)
        addNotice {
            let isLocked = surroundings.isKeychainLocked
            mailbox.post { $0.noteLocked(isLocked) }
        }
    }

    /// Does something once all changes up to now are announced.
    func afterNotices(_ body: @escaping BusMailbox.Task) {
        // The keychain files are read again before.
        guard !files.isStale else { return files.waiting.append(body) }
        let mailbox = mailbox
        addNotice { mailbox.post(body) }
    }

    /// Announces whether the keychain is locked, if that has changed.
    func noteLocked(_ isLocked: Bool) {
        tellPrompts(of: .login, isLocked: isLocked)
        guard self.isLocked != isLocked else { return }
        let isFirst = self.isLocked == nil
        self.isLocked = isLocked
        guard !isFirst else { return }
        emitProperties([(.collectionLocked, .boolean(isLocked))], of: .collection(.login), to: .everybody)
        emit(.collectionChanged, .login, to: .everybody)
        // What was opened by itself was opened until now.
        if isLocked { for client in clients.values { client.store?.closeAll() } }
        noteLockChange(of: .login)
    }

    /// Tells every client of the items that it has read of a collection which was locked or unlocked.
    func noteLockChange(of collection: CollectionName) {
        lockChangeCount += 1
        for client in clients.values { updateItems(of: client, in: collection) }
    }

    /// Ends the questions that are about another lock state of a collection.
    func tellPrompts(of collection: CollectionName, isLocked: Bool) {
        for client in clients.values {
            for prompt in client.prompts.values { prompt.questions.note(collection, isLocked: isLocked) }
        }
        guard let portal else { return }
        for request in portal.requests.values { request.questions.note(collection, isLocked: isLocked) }
    }

    /// Tells a client of the items that it has read of, and that are locked or unlocked by now.
    ///
    /// - Parameters:
    ///   - client: the client.
    ///   - collection: the collection of the items; all by default.
    ///   - finish: called afterwards; not if the client is gone.
    func updateItems(
        of client: ServiceClient,
        in collection: CollectionName? = nil,
        then finish: @escaping BusMailbox.Task = { _ in }
    ) {
        let items = ObjectPath.items(client.told.items(of: collection))
        guard let store = client.store, !items.isEmpty else { return finish(self) }
        let (mailbox, name, number) = (mailbox, client.name, client.number)
        surroundings.work.add(for: client.number, of: client.process) {
            let found = items.map { ($0, (try? store.describe($1, in: $0)) ?? []) }
            mailbox.post { service in
                guard let client = service.client(name, number) else { return }
                for (collection, items) in found {
                    for item in items { service.update(.item(collection, item.identifier), to: item, of: client) }
                }
                finish(service)
            }
        }
    }

    private func update(_ path: ObjectPath, to item: LookupItem, of client: ServiceClient) {
        let changed = client.told.update(path, to: item)
        if !changed.isEmpty { emitProperties(changed, of: path, to: .client(client)) }
    }
}
