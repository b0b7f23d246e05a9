// SPDX-License-Identifier: Apache-2.0

import Foundation
import PortableSecurity

/// The operations of this module's keychains, over a transport.
struct ItemOperations: Sendable {
    private let transport: any ItemTransport

    init(_ transport: any ItemTransport) { self.transport = transport }

    private var target: ItemTarget { ItemTarget(transport: transport) }

    func add(
        _ contents: ItemContents,
        of item: any KeychainItem,
        protection: Protection,
        details: ItemDetails,
        authentication: Authentication
    ) throws(KeychainItemError) {
        let call = OperationContext(operation: .add, item: item)
        try call.run { () throws(TransportFailure) in
            try contents.checkClass(of: item.key)
            var addition = try ItemDictionary(protection, details)
            addition.add(item.key)
            addition.add(contents)
            addition.add(authentication)
            _ = try transport.add(addition.entries)
        }
        announce(.added(item))
    }

    func set(
        _ contents: ItemContents,
        of item: any KeychainItem,
        protection: Protection,
        details: ItemDetails,
        authentication: Authentication
    ) throws(KeychainItemError) {
        let call = OperationContext(operation: .set, item: item)
        try call.run { () throws(TransportFailure) in
            try contents.checkIdentity(with: item.key)
            var attributes = try ItemDictionary(protection, details)
            var addition = attributes
            // A reference cannot be updated; it has just been checked that the existing one is the same.
            if case .data = contents { attributes.add(contents) }
            let key = try target.located(item.key)
            addition.add(key)
            addition.add(contents)
            addition.add(authentication)
            try target.set(key, to: attributes.entries, orAdd: addition.entries, authentication: authentication)
        }
        announce(.set(item))
    }

    func contents(
        _ item: any KeychainItem,
        _ authentication: Authentication
    ) throws(KeychainItemError) -> ItemContents? {
        let call = OperationContext(operation: .read, item: item)
        return try call.find { () throws(TransportFailure) in
            try contents(target.query(item.key, authentication), item.key.itemClass)
        }
    }

    private func contents(
        _ query: ItemDictionary,
        _ itemClass: ItemKey.Class
    ) throws(TransportFailure) -> ItemContents {
        switch itemClass {
        case .genericPassword, .internetPassword: break
        case .key:
            let object = try transport.copyMatching(query.returning(kSecReturnRef))
            if let key = object.flatMap(ItemContents.init(key:)) { return key }
        case .certificate:
            let object = try transport.copyMatching(query.returning(kSecReturnRef))
            if let certificate = object.flatMap(ItemContents.init(certificate:)) { return certificate }
        }
        // An item without a secret has no data, as with an empty secret.
        return .data(try transport.copyMatching(query.returning(kSecReturnData)) as? Data ?? Data())
    }

    func attributes(
        _ item: any KeychainItem,
        _ authentication: Authentication
    ) throws(KeychainItemError) -> ItemAttributes? {
        let call = OperationContext(operation: .attributes, item: item)
        return try call.find { () throws(TransportFailure) in
            let query = try target.query(item.key, authentication)
            let object = try transport.copyMatching(query.returning(kSecReturnAttributes))
            return ItemAttributes(item.key.itemClass, object as? [String: Any] ?? [:])
        }
    }

    func update(
        _ item: any KeychainItem,
        with update: ItemUpdate,
        authentication: Authentication
    ) throws(KeychainItemError) -> Bool {
        let updated = item.updated(by: update)
        let call = OperationContext(operation: .update, item: item, rival: updated)
        let found: Void? = try call.find { () throws(TransportFailure) in
            let query = try target.query(item.key, authentication)
            try transport.update(query.entries, ItemDictionary(update).entries)
        }
        guard found != nil else { return false }
        announce(.updated(item, now: updated))
        return true
    }

    func delete(_ item: any KeychainItem) throws(KeychainItemError) -> Bool {
        let call = OperationContext(operation: .delete, item: item)
        let found: Void? = try call.find { () throws(TransportFailure) in
            try transport.delete(target.query(item.key, .allowed).entries)
        }
        guard found != nil else { return false }
        announce(.deleted(item))
        return true
    }

    func items<Item>(
        _ selection: ItemSelection<Item>,
        _ authentication: Authentication
    ) throws(KeychainItemError) -> [FoundItem<Item>] {
        let call = OperationContext(operation: .list, selection: selection.description)
        let found = try call.find { () throws(TransportFailure) in
            var query = try target.query(selection)
            query.add(authentication)
            query.entries[kSecMatchLimit as String] = kSecMatchLimitAll
            let object = try transport.copyMatching(query.returning(kSecReturnAttributes))
            let rows = object as? [[String: Any]] ?? []
            let defaultGroup = rows.isEmpty ? nil : try transport.defaultAccessGroup()
            return rows.compactMap { entries in
                let attributes = ItemAttributes(selection.itemClass, entries)
                let isInDefaultGroup = defaultGroup != nil && attributes.key.accessGroup == defaultGroup
                return Item(key: attributes.key).map {
                    FoundItem(item: $0, attributes: attributes, isInDefaultGroup: isInDefaultGroup)
                }
            }
        }
        return found ?? []
    }

    func deleteAll<Item>(_ selection: ItemSelection<Item>) throws(KeychainItemError) -> Bool {
        let call = OperationContext(operation: .deleteAll, selection: selection.description)
        let found: Void? = try call.find { () throws(TransportFailure) in
            try transport.delete(target.query(selection).entries)
        }
        guard found != nil else { return false }
        announce(.deletedAll(selection.itemClass, selection: selection.description))
        return true
    }

    var changes: KeychainChanges { KeychainChanges(ChangeCenter.shared.listen(transport.scope)) }

    private func announce(_ change: KeychainChange) {
        ChangeCenter.shared.announce(change, in: transport.scope)
    }
}

extension KeychainItem {
    fileprivate func updated(by update: ItemUpdate) -> any KeychainItem {
        let moved = update.accessGroup.map { inAccessGroup($0) } ?? self
        return update.isSynchronizable.map { moved.synchronizable($0) } ?? moved
    }
}
