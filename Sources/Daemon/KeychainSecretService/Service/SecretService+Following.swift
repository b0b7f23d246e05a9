// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// New values of properties, for the clients that have read the former ones.
extension SecretService {
    /// The largest list of items that is sent again whenever there is another item.
    private static let longestList = 4_096

    /// Has clients be told what has changed of the objects that they follow.
    func tellFollowers(of notice: ItemChangeNotice, in collection: CollectionName) {
        for client in clients.values {
            client.followed.note(notice, in: collection)
            tellNext(client)
        }
    }

    /// Reads the properties of one object after the other, so that many changes of one object are told together.
    private func tellNext(_ client: ServiceClient) {
        guard !client.followed.isBeingRead, let store = client.store, let object = client.followed.takeChanged() else {
            return
        }
        client.followed.isBeingRead = true
        let properties: [Property] =
            if case .collection = object { [.items] } else { [.itemLabel, .itemAttributes, .itemModified] }
        let times = CollectionTimes(started: surroundings.started, modified: modified)
        let (mailbox, name, number) = (mailbox, client.name, client.number)
        // Beside the client's calls, which do not wait for it.
        surroundings.work.add(for: number | 1 << 63, of: client.process) {
            let read = try? PropertyReading.read(properties, of: object, store, times)
            mailbox.post { service in
                guard let client = service.clients[name], client.number == number else { return }
                client.followed.isBeingRead = false
                if let read, !read.contains(where: { $0.1.count > Self.longestList }) {
                    service.emitProperties(read, of: object, to: .client(client))
                }
                service.tellNext(client)
            }
        }
    }
}

extension PropertyContent {
    /// How many objects it lists.
    fileprivate var count: Int { if case .paths(let paths) = self { paths.count } else { 0 } }
}
