// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainServer
import Synchronization

/// The collections as one program sees them: typed functions over the commands of the keychain, which block.
final class ProgramStore: Sendable {
    let connection: FrontConnection

    /// Whether it sees the items of an access group.
    let sees: @Sendable (String) -> Bool

    /// Executes the commands for the collection in memory.
    private let memory: any KeychainBackend

    /// The keychain files; `nil` if it sees none, because there are none here, or it is in a sandbox.
    let files: ProgramFiles?

    /// What the owner has authenticated in for items that are locked by themselves.
    private let contexts = Mutex<[ItemIdentifier: AuthenticationContext]>([:])

    /// As `security`: the items of the user's common group, and of others that nobody owns.
    private static let client = Client.person

    /// The collections of a program.
    init(
        _ connection: FrontConnection,
        memory: any KeychainBackend,
        files: FileCollections? = nil
    ) throws(KeychainError) {
        self.connection = connection
        self.memory = memory
        self.files = files.flatMap { ProgramFiles($0, of: connection) }
        sees = try connection.peer.changeFilter(for: Self.client).contains
    }

    /// Whether the items of a collection are locked as a whole.
    func isLocked(_ collection: CollectionName) throws(ServiceError) -> Bool {
        if collection.isFile { return try details(of: collection).details.isLocked }
        guard collection == .login else { return false }
        return try status().isLocked
    }

    private func status() throws(ServiceError) -> DeviceStatus {
        let reply = try asServiceError { () throws(KeychainError) in try connection.perform(.device(.status)) }
        guard case .deviceStatus(let status) = reply else { throw .failed }
        return status
    }

    /// Locks the keychain; nothing is locked where no passcode is set.
    func lock() throws(ServiceError) {
        closeAll()
        guard try status().hasPasscode else { return }
        _ = try asServiceError { () throws(KeychainError) in try connection.perform(.device(.lock)) }
    }

    /// The items of a collection that have some attributes.
    func search(_ attributes: LookupAttributes, in collection: CollectionName) throws(ServiceError) -> [LookupMatch] {
        guard case .lookupMatches(var matches) = try perform(.search(attributes), in: collection) else { throw .failed }
        for index in matches.indices where matches[index].isLocked {
            matches[index].isLocked = try !isOpened(matches[index].identifier, in: collection)
        }
        return matches
    }

    /// Whether the owner has opened an item that is locked by itself.
    private func isOpened(_ item: ItemIdentifier, in collection: CollectionName) throws(ServiceError) -> Bool {
        guard contexts.withLock({ $0[item] != nil }) else { return false }
        return try !describe(item, in: collection).isLocked
    }

    /// Attributes, label and times of an item.
    ///
    /// - Throws: ``ServiceError/noSuchObject``.
    func describe(_ item: ItemIdentifier, in collection: CollectionName) throws(ServiceError) -> LookupItem {
        let context = contexts.withLock { $0[item] }
        let reply = try perform(.describe([item]), in: collection, context)
        guard case .lookupItems(let items) = reply else { throw .failed }
        guard let found = items.first else { throw .noSuchObject }
        return found
    }

    /// Those of some items that there are.
    func describe(_ items: [ItemIdentifier], in collection: CollectionName) throws(ServiceError) -> [LookupItem] {
        guard !items.isEmpty else { return [] }
        guard case .lookupItems(let found) = try perform(.describe(items), in: collection) else { throw .failed }
        var described: [LookupItem] = []
        for item in found {
            let isOpened = item.isLocked && contexts.withLock { $0[item.identifier] != nil }
            described.append(isOpened ? try describe(item.identifier, in: collection) : item)
        }
        return described
    }

    /// Those of some items that there are, in a collection that may not be there.
    func describeAny(_ items: [ItemIdentifier], in collection: CollectionName) throws(ServiceError) -> [LookupItem] {
        do throws(ServiceError) { return try describe(items, in: collection) } catch {
            guard collection.isFile else { throw error }
            return []
        }
    }

    /// The secrets of those items that are open.
    func secrets(_ items: [ItemIdentifier], in collection: CollectionName) throws(ServiceError) -> [LookupSecret] {
        let opened = contexts.withLock { contexts in items.filter { contexts[$0] != nil } }
        let others = opened.isEmpty ? items : items.filter { !opened.contains($0) }
        var found: [LookupSecret] = []
        if !others.isEmpty { found += try secrets(others, in: collection, nil) }
        for item in opened { found += try secrets([item], in: collection, contexts.withLock { $0[item] }) }
        return found
    }

    private func secrets(
        _ items: [ItemIdentifier],
        in collection: CollectionName,
        _ context: AuthenticationContext?
    ) throws(ServiceError) -> [LookupSecret] {
        guard case .lookupSecrets(let secrets) = try perform(.secrets(items), in: collection, context) else {
            throw .failed
        }
        return secrets
    }

    /// The secrets of those of any items that are open, in a collection that may not be there.
    func secretsOfAny(
        _ items: [ItemIdentifier],
        in collection: CollectionName
    ) throws(ServiceError) -> [LookupSecret] {
        do throws(ServiceError) { return try secrets(items, in: collection) } catch {
            guard collection.isFile, error == .noSuchObject else { throw error }
            return []
        }
    }

    /// The secret of one item.
    ///
    /// - Throws: ``ServiceError/isLocked`` or ``ServiceError/noSuchObject``.
    func secret(_ item: ItemIdentifier, in collection: CollectionName) throws(ServiceError) -> LookupSecret {
        if let secret = try secrets([item], in: collection).first { return secret }
        // Those that are not there, those that are locked, and those that were altered, are left out alike.
        throw try describe(item, in: collection).isLocked ? .isLocked : .failed
    }

    /// Stores an item.
    func store(
        _ contents: LookupContents,
        replacing: Bool,
        in collection: CollectionName
    ) throws(ServiceError) -> LookupStored {
        guard case .lookupStored(let stored) = try perform(.store(contents, replacing: replacing), in: collection)
        else {
            throw .failed
        }
        return stored
    }

    /// Changes an item.
    func change(
        _ item: ItemIdentifier,
        _ change: LookupChange,
        in collection: CollectionName
    ) throws(ServiceError) {
        _ = try perform(.change(item, change), in: collection, contexts.withLock { $0[item] })
    }

    /// Deletes an item.
    func delete(_ item: ItemIdentifier, in collection: CollectionName) throws(ServiceError) {
        _ = try perform(.delete(item), in: collection, contexts.withLock { $0[item] })
        contexts.withLock { $0[item] = nil }
    }

    /// Opens items that are locked by themselves with a context.
    func open(_ items: [ItemIdentifier], with context: AuthenticationContext) {
        contexts.withLock { contexts in
            for item in items { contexts[item] = context }
        }
    }

    /// Locks an item again that was locked by itself.
    func close(_ item: ItemIdentifier) { contexts.withLock { $0[item] = nil } }

    /// Locks all items again that were locked by themselves.
    func closeAll() { contexts.withLock { $0 = [:] } }

    /// Has a command executed by whatever keychain a collection is.
    func perform(
        _ operation: LookupRequest.Operation,
        in collection: CollectionName,
        _ context: AuthenticationContext? = nil
    ) throws(ServiceError) -> KeychainReply {
        let command = KeychainCommand.lookup(LookupRequest(operation, client: Self.client, context: context))
        return try asServiceError { () throws(KeychainError) in
            if collection == .login { return try connection.perform(command) }
            try command.checkSizes()
            guard collection == .session else {
                guard let files else { throw .noCollection }
                return try files.service.perform(operation, at: try files.path(of: collection))
            }
            let permitted = try connection.peer.permitted(command)
            try connection.peer.confirm()
            return try memory.perform(permitted)
        }
    }
}
