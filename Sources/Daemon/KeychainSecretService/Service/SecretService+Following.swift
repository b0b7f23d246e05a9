// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import MessageBus

/// New values of properties, for the clients that have read the former ones.
extension SecretService {
    /// The largest list of items that is sent again whenever there is another item.
    private static let longestList = 4_096

    /// Has clients be told what has changed of the objects that they follow.
    func tellFollowers(of notice: ItemChangeNotice, in collection: CollectionName) {
        for client in clients.values {
            client.told.note(notice, in: collection)
            tellNext(client)
        }
    }

    /// Tells of one object after the other, each once the client has read of the one before: many changes of one object
    /// are told together, and no more waits for a client than it reads.
    private func tellNext(_ client: ServiceClient) {
        guard !client.told.isBeingTold, let store = client.store, let object = client.told.takeChanged() else {
            return
        }
        client.told.isBeingTold = true
        let properties: [Property] =
            if case .collection = object { [.items] } else { [.itemLabel, .itemAttributes, .itemModified] }
        let times = CollectionTimes(started: surroundings.started, modified: modified)
        let (mailbox, name, number) = (mailbox, client.name, client.number)
        // Beside the client's calls, which do not wait for it.
        surroundings.work.add(for: number | 1 << 63, of: client.process) {
            let read = try? PropertyReading.read(properties, of: object, in: store, times)
            mailbox.post { service in
                guard let client = service.clients[name], client.number == number else { return }
                guard let read, !read.contains(where: { $0.1.count > Self.longestList }) else {
                    return service.goOnTelling(client)
                }
                client.told.note(read, of: object)
                service.emitProperties(read, of: object, to: .client(client))
                service.awaitReading(by: client)
            }
        }
    }

    /// Asks a client for a sign of life, which it gives once it has read everything before.
    private func awaitReading(by client: ServiceClient) {
        do throws(BusError) {
            let call = try bus.methodCall(
                on: client.name,
                at: ObjectPath.none,
                interface: Interface.peer.rawValue,
                method: "Ping"
            )
            pings[try bus.sendCall(call)] = client.name
        } catch {
            // The connection to the bus is at its end.
        }
    }

    /// Goes on with a client that has answered; whether the answer is one of these.
    func receiveAnswer(_ number: UInt64, from sender: String) -> Bool {
        guard let name = pings[number], name.utf8.elementsEqual(sender.utf8) else { return false }
        pings[number] = nil
        if let client = clients[name] { goOnTelling(client) }
        return true
    }

    private func goOnTelling(_ client: ServiceClient) {
        client.told.isBeingTold = false
        tellNext(client)
    }
}

extension PropertyContent {
    /// How many objects it lists.
    fileprivate var count: Int { if case .paths(let paths) = self { paths.count } else { 0 } }
}
