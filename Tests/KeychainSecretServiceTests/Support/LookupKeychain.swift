// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainTestSupport
import Synchronization

/// A keychain with lookup attributes and nothing else, whose items can be locked by themselves.
final class LookupKeychain: KeychainBackend {
    private let fake: FakeDevice

    private let state = Mutex(State())

    private struct State {
        var items: [Item] = []
        var delay: (@Sendable () -> Void)?
        var secretsReadCount = 0
        var observers: [@Sendable (ItemChangeNotice) -> Void] = []
        var lockObservers: [@Sendable () -> Void] = []
    }

    private struct Item {
        let identifier: ItemIdentifier
        var contents: LookupContents
        var isLocked = false
        /// Whether nothing is told of it while the device is locked.
        var isHidden = false
    }

    init(passcode: String? = nil) { fake = FakeDevice(passcode: passcode) }

    var families: CommandFamily { .all }

    /// Has each search wait for something.
    func delaySearches(_ body: (@Sendable () -> Void)?) { state.withLock { $0.delay = body } }

    /// Locks an item by itself, as an access control does.
    func lock(_ item: ItemIdentifier) { change(item) { $0.isLocked = true } }

    /// Has nothing be told of an item while the device is locked.
    func hide(_ item: ItemIdentifier) { change(item) { $0.isHidden = true } }

    /// Observers stay for as long as the keychain.
    func observeItemChanges(_ handler: @escaping @Sendable (ItemChangeNotice) -> Void) -> ChangeObservation? {
        state.withLock { $0.observers.append(handler) }
        return ChangeObservation {}
    }

    /// Observers stay for as long as the keychain.
    func observeLocks(_ handler: @escaping @Sendable () -> Void) -> ChangeObservation? {
        state.withLock { $0.lockObservers.append(handler) }
        return ChangeObservation {}
    }

    /// Tells the observers of changes.
    func announce(_ notice: ItemChangeNotice) { for tell in state.withLock(\.observers) { tell(notice) } }

    /// How often secrets were read.
    var secretsReadCount: Int { state.withLock(\.secretsReadCount) }

    var count: Int { state.withLock { $0.items.count } }

    private func change(_ item: ItemIdentifier, _ body: (inout Item) -> Void) {
        state.withLock { state in
            if let index = state.items.firstIndex(where: { $0.identifier == item }) { body(&state.items[index]) }
        }
    }

    func carryOut(_ command: KeychainCommand) throws(KeychainError) -> KeychainReply {
        switch command {
        case .device(let command):
            let reply = try fake.perform(command)
            if case .done = reply { for tell in state.withLock(\.lockObservers) { tell() } }
            return reply
        case .lookup(let request):
            if case .search = request.operation { state.withLock(\.delay)?() }
            if case .secrets = request.operation { state.withLock { $0.secretsReadCount += 1 } }
            guard case .deviceStatus(let status) = try fake.perform(.status) else { throw .unexpectedReply }
            let result = state.withLock { state in
                Result { () throws(KeychainError) in
                    try Self.carryOut(request, isLocked: status.isLocked, &state.items)
                }
            }
            let reply = try result.get()
            if let change = Self.change(by: request.operation, reply) {
                let items = ChangedItems(.genericPassword, in: Client.commonGroup)
                announce(ItemChangeNotice([ItemChange(change.kind, change.item, of: items)]))
            }
            return reply
        default: throw KeychainError(.unimplemented, "this keychain has lookup attributes only")
        }
    }

    private static func change(
        by operation: LookupRequest.Operation,
        _ reply: KeychainReply
    ) -> (kind: ItemChange.Kind, item: ItemIdentifier)? {
        switch (operation, reply) {
        case (.store, .lookupStored(let stored)): (stored.isNew ? .added : .changed, stored.identifier)
        case (.change(let item, _), _): (.changed, item)
        case (.delete(let item), _): (.removed, item)
        default: nil
        }
    }

    private static func carryOut(
        _ request: LookupRequest,
        isLocked: Bool,
        _ items: inout [Item]
    ) throws(KeychainError) -> KeychainReply {
        func isOpen(_ item: Item) -> Bool { !isLocked && (!item.isLocked || request.context != nil) }
        func index(of identifier: ItemIdentifier) throws(KeychainError) -> Int {
            guard let index = items.firstIndex(where: { $0.identifier == identifier }) else {
                throw KeychainError(.itemNotFound, "there is no such item")
            }
            guard isOpen(items[index]) else { throw KeychainError(.interactionNotAllowed, "it is locked") }
            return index
        }
        switch request.operation {
        case .search(let attributes):
            let found = items.filter { $0.contents.attributes.satisfy(attributes) }
            return .lookupMatches(found.map { LookupMatch($0.identifier, isLocked: !isOpen($0)) })
        case .describe(let identifiers):
            let found = identifiers.compactMap { identifier in items.first { $0.identifier == identifier } }
            return .lookupItems(
                found.map { item in
                    isLocked && item.isHidden
                        ? LookupItem(item.identifier, isLocked: true)
                        : LookupItem(
                            item.identifier,
                            isLocked: !isOpen(item),
                            attributes: item.contents.attributes,
                            label: item.contents.label,
                            created: Timestamp(secondsSinceReferenceDate: 0),
                            modified: Timestamp(secondsSinceReferenceDate: 1)
                        )
                }
            )
        case .secrets(let identifiers):
            let found = identifiers.compactMap { identifier in items.first { $0.identifier == identifier } }
            return .lookupSecrets(
                found.filter(isOpen).map {
                    LookupSecret($0.identifier, $0.contents.secret, contentType: $0.contents.contentType)
                }
            )
        case .store(let contents, let isReplacing):
            guard !isLocked else { throw KeychainError(.interactionNotAllowed, "it is locked") }
            if isReplacing, let index = items.firstIndex(where: { $0.contents.attributes == contents.attributes }) {
                items[index].contents = contents
                return .lookupStored(LookupStored(items[index].identifier, isNew: false))
            }
            let item = Item(identifier: .random(), contents: contents)
            items.append(item)
            return .lookupStored(LookupStored(item.identifier, isNew: true))
        case .change(let identifier, let change):
            let index = try index(of: identifier)
            switch change {
            case .secret(let secret, let contentType):
                (items[index].contents.secret, items[index].contents.contentType) = (secret, contentType)
            case .label(let label): items[index].contents.label = label
            case .attributes(let attributes): items[index].contents.attributes = attributes
            }
            return .done
        case .delete(let identifier):
            items.remove(at: try index(of: identifier))
            return .done
        }
    }
}
