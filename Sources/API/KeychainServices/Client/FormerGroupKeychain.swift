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
        // Threads do not wait for each other: each moves what it finds before its own change. What cannot be moved now,
        // such as a locked item, is found where it is, and the next change tries again.
        if case .items(let request) = command, !command.has(.changesNothing), !isDone.load(ordering: .relaxed),
            ItemClass.stored.map({ move($0, as: request.client) }).allSatisfy(\.self)
        {
            isDone.store(true, ordering: .relaxed)
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

    /// Moves the items of a class, each by itself and without a prompt.
    ///
    /// - Returns: Whether none is left.
    private func move(_ itemClass: ItemClass, as client: Client) -> Bool {
        var client = client
        client.profile = .iOS
        let query: PropertyDictionary = [
            PropertyKey.itemClass: .string(itemClass.rawValue),
            AttributeName.accessGroup.description: .string(former),
            AttributeName.synchronizable.description: .string(PropertyKey.synchronizableAny),
            PropertyKey.matchLimit: .string(PropertyKey.matchLimitAll),
            PropertyKey.returnPersistentReference: .boolean(true),
        ]
        do throws(KeychainError) {
            let found = try KeychainAnswer.values { () throws(KeychainError) in
                try keychain.perform(KeychainRequest(.copyMatching(query), client: client))
            }
            var isMoved = true
            for case .data(let reference) in found where !move(reference, as: client) { isMoved = false }
            return isMoved
        } catch {
            return false
        }
    }

    private func move(_ reference: SecretBytes, as client: Client) -> Bool {
        let query: PropertyDictionary = [
            PropertyKey.valuePersistentReference: .data(reference),
            PropertyKey.useAuthenticationUI: .string(PropertyKey.useAuthenticationUIFail),
        ]
        let attributes: PropertyDictionary = [AttributeName.accessGroup.description: .string(group)]
        do throws(KeychainError) {
            _ = try keychain.perform(KeychainRequest(.update(query, attributes: attributes), client: client))
            return true
        } catch {
            // One that is there already stays where it is, for good.
            return error.status == .duplicateItem || error.status == .itemNotFound
        }
    }
}
