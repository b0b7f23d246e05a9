// SPDX-License-Identifier: Apache-2.0

package import KeychainCore
import Synchronization

/// The keychain of a program that has got an identity since it stored its first items.
///
/// Those are in the group of the name of its file, which stays in its list, so it finds them. Before its first change
/// they are moved to the group of the identity: from then on the file may have another name.
package final class FormerGroupKeychain: ObservableKeychain {
    private let keychain: any KeychainBackend
    private let former: String
    private let group: String
    private let isDone = Atomic(false)

    /// A keychain.
    ///
    /// - Parameters:
    ///   - keychain: the program's keychain.
    ///   - former: the access group that its items may be in.
    ///   - group: the access group that they are moved to.
    package init(_ keychain: any KeychainBackend, from former: String, to group: String) {
        self.keychain = keychain
        self.former = former
        self.group = group
    }

    package var families: CommandFamily { keychain.families }

    package var identity: ObjectIdentifier { keychain.identity }

    package var unlocksForAll: Bool { keychain.unlocksForAll }

    /// Moves the items, if the command may change some, and executes it.
    package func carryOut(_ command: KeychainCommand) throws(KeychainError) -> KeychainReply {
        if case .items(let request) = command, !command.has(.changesNothing), !isDone.load(ordering: .relaxed),
            !isDone.exchange(true, ordering: .relaxed)
        {
            // What could not be moved, because it is locked or stored twice, is found where it is, and tried again by
            // the next process.
            for itemClass in ItemClass.stored { move(itemClass, as: request.client) }
        }
        return try keychain.perform(command)
    }

    package func observeChanges(
        as client: Client,
        _ handler: @escaping @Sendable (ChangeNotice) -> Void
    ) -> ChangeObservation {
        guard let observable = keychain as? any ObservableKeychain else { return ChangeObservation {} }
        return observable.observeChanges(as: client, handler)
    }

    /// Moves all items of a class in one change; where one of them is in the other group already, each by itself.
    private func move(_ itemClass: ItemClass, as client: Client) {
        var query: PropertyDictionary = [
            PropertyKey.itemClass: .string(itemClass.rawValue),
            AttributeName.accessGroup.description: .string(former),
            AttributeName.synchronizable.description: .string(PropertyKey.synchronizableAny),
        ]
        let attributes: PropertyDictionary = [AttributeName.accessGroup.description: .string(group)]
        var client = client
        client.profile = .iOS
        do throws(KeychainError) {
            _ = try keychain.perform(KeychainRequest(.update(query, attributes: attributes), client: client))
        } catch  where error.status == .duplicateItem {
            query[PropertyKey.returnPersistentReference] = .boolean(true)
            query[PropertyKey.matchLimit] = .string(PropertyKey.matchLimitAll)
            let found = try? keychain.perform(KeychainRequest(.copyMatching(query), client: client))
            for case .data(let reference) in found?.values ?? [] {
                let one: PropertyDictionary = [PropertyKey.valuePersistentReference: .data(reference)]
                _ = try? keychain.perform(KeychainRequest(.update(one, attributes: attributes), client: client))
            }
        } catch {}
    }
}
