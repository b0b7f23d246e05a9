// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import MessageBus

/// Announcing that the keychain was locked or unlocked, in whatever way.
///
/// The keychain tells of each change in the midst of it. What it is then is read by another thread, one change after
/// the other, so that the last that is announced is what it is.
extension SecretService {
    /// The number of no client, for what is done one after the other.
    private static let line: UInt64 = 0

    /// Announces whether the keychain is locked, once that was found out.
    func lookAtLock() {
        let (surroundings, mailbox) = (surroundings, mailbox)
        surroundings.work.add(for: Self.line, of: 0) {
            let isLocked = surroundings.isKeychainLocked
            mailbox.post { $0.noteLocked(isLocked) }
        }
    }

    /// Does something once all changes up to now are announced.
    func afterLockNotices(_ body: @escaping BusMailbox.Letter) {
        let mailbox = mailbox
        surroundings.work.add(for: Self.line, of: 0) { mailbox.post(body) }
    }

    /// Announces whether the keychain is locked, if that has changed.
    func noteLocked(_ isLocked: Bool) {
        guard self.isLocked != isLocked else { return }
        let isFirst = self.isLocked == nil
        self.isLocked = isLocked
        guard !isFirst else { return }
        lockNumber += 1
        emitProperties([(.collectionLocked, .boolean(isLocked))], of: .collection(.login), to: .everybody)
        emitChange(of: .login)
        for client in clients.values {
            // What was opened by itself was opened until now.
            if isLocked { client.store?.closeAll() }
            updateItems(of: client)
            for prompt in client.prompts.values where prompt.isShown && prompt.creation == nil {
                prompt.questions.restart()
            }
        }
    }

    /// Tells a client of the items that it has read of, and that are locked or unlocked by now.
    ///
    /// - Parameters:
    ///   - client: the client.
    ///   - finish: called afterwards; not if the client is gone.
    func updateItems(of client: ServiceClient, then finish: @escaping BusMailbox.Letter = { _ in }) {
        guard let store = client.store, !client.shown.isEmpty else { return finish(self) }
        let (mailbox, name, number) = (mailbox, client.name, client.number)
        let items = ObjectPath.items(client.shown.keys)
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
        guard var shown = client.shown[path] else { return }
        var changed: [(Property, PropertyContent)] = []
        if shown.isLocked != item.isLocked { changed.append((.itemLocked, .boolean(item.isLocked))) }
        if shown.isHidden, !item.isLocked {
            changed += [(.itemAttributes, .attributes(item.attributes)), (.itemLabel, .text(item.label))]
            shown.isHidden = false
        }
        guard !changed.isEmpty else { return }
        shown.isLocked = item.isLocked
        client.note(path, shown)
        emitProperties(changed, of: path, to: .client(client))
    }
}
