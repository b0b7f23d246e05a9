// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import MessageBus

/// Signals: of items that nobody owns to everybody, and of others only to programs that see them.
extension SecretService {
    /// To whom a signal goes.
    enum Audience {
        case everybody
        /// The programs that see the items of an access group.
        case group(String)
        case client(ServiceClient)
        /// The programs that see keychain files.
        case filePrograms
    }

    /// Announces what any program has added, changed or deleted in a collection.
    func announce(_ notice: ItemChangeNotice, in collection: CollectionName) {
        modified[collection] = .now
        switch notice {
        case .changes(let changes): for change in changes { announce(change, in: collection) }
        case .unknown: emit(.collectionChanged, collection, to: .everybody)
        }
        tellFollowers(of: notice, in: collection)
    }

    private func announce(_ change: ItemChange, in collection: CollectionName) {
        // A program that may not see it learns a number from which nothing follows; the group of one that was removed
        // may be unknown.
        let group = change.items.accessGroup
        let isShared = [Client.commonGroup, Client.everyGroup].contains { $0.hasSameBytes(as: group) }
        let audience: Audience = isShared ? .everybody : .group(group)
        let path = ObjectPath.item(collection, change.identifier).text
        emit(Signal(change.kind), at: .collection(collection), to: audience) { message throws(BusError) in
            try message.append(path, as: "o")
        }
    }

    /// Announces a collection that is new, or was changed or deleted.
    func emit(_ signal: Signal, _ collection: CollectionName, to audience: Audience) {
        emit(signal, at: .service, to: audience) { message throws(BusError) in
            try message.append(ObjectPath.collection(collection).text, as: "o")
        }
    }

    /// Announces values of properties of an object.
    func emitProperties(_ properties: [(Property, PropertyContent)], of object: ObjectPath, to audience: Audience) {
        emit(.propertiesChanged, at: object, to: audience) { message throws(BusError) in
            try message.append(Interface(of: object).rawValue)
            try message.append(properties)
            try message.append(array: [], of: "s")
        }
    }

    /// Sends a signal of an object.
    func emit(
        _ signal: Signal,
        at object: ObjectPath,
        to audience: Audience,
        _ fill: (borrowing BusMessage) throws(BusError) -> Void
    ) {
        let receivers: [ServiceClient?] =
            switch audience {
            case .everybody: [nil]
            case .client(let client): [client]
            case .filePrograms: clients.values.filter { $0.store?.files != nil }
            case .group(let group): clients.values.filter { $0.store?.sees(group) == true }
            }
        for client in receivers {
            do throws(BusError) {
                let row = signal.row
                let message = try bus.signal(at: object.text, interface: row.interface.rawValue, member: row.name)
                try fill(message)
                guard let client else {
                    try bus.send(message)
                    continue
                }
                try bus.send(message, to: client.name)
                note(
                    UnreadReply(sent: message.writtenByteCount, of: client.process, in: surroundings.work),
                    sentTo: client
                )
            } catch {
                // The connection to the bus is at its end.
            }
        }
    }
}

extension Signal {
    /// That of a change of an item.
    init(_ kind: ItemChange.Kind) {
        self =
            switch kind {
            case .added: .itemCreated
            case .changed: .itemChanged
            case .removed: .itemDeleted
            }
    }
}
