// SPDX-License-Identifier: Apache-2.0

import Foundation
import PortableSecurity

/// Makes queries that mean the row of one primary key, and no other.
///
/// A query without an access group looks in every group, where an add stores in the default one; so each names a group.
/// All else that a key consists of has a value in each row, but for the token: a query for a key that has none would
/// find one in the Secure Enclave as well, when an app has given both the same label. Such a pair is told apart by
/// persistent references.
struct ItemTarget {
    let transport: any ItemTransport

    /// The key with its access group.
    func located(_ key: ItemKey) throws(TransportFailure) -> ItemKey {
        guard key.accessGroup == nil else { return key }
        var key = key
        key.accessGroup = try transport.defaultAccessGroup()
        return key
    }

    /// A query for the items of a selection.
    ///
    /// - Throws: ``TransportFailure``, `errSecMissingEntitlement` when the default group is meant and there is none:
    ///   every group would be another meaning.
    func query<Item>(_ selection: ItemSelection<Item>) throws(TransportFailure) -> ItemDictionary {
        switch selection.groups {
        case .every: return ItemDictionary(selection, accessGroup: nil)
        case .named(let group): return ItemDictionary(selection, accessGroup: group)
        case .defaultGroup:
            guard let group = try transport.defaultAccessGroup() else {
                throw TransportFailure(status: errSecMissingEntitlement, reason: "the app has no default access group")
            }
            return ItemDictionary(selection, accessGroup: group)
        }
    }

    /// A query for the row of a key.
    ///
    /// - Throws: ``TransportFailure``, `errSecItemNotFound` when it is already known that there is none.
    func query(_ key: ItemKey, _ authentication: Authentication) throws(TransportFailure) -> ItemDictionary {
        guard case .some(var query) = try exactQuery(located(key), authentication) else {
            throw TransportFailure(status: errSecItemNotFound)
        }
        try add(authentication, to: &query)
        return query
    }

    /// Changes the row of a key, or adds it.
    func set(
        _ key: ItemKey,
        _ attributes: [String: Any],
        orAdd addition: [String: Any],
        _ authentication: Authentication
    ) throws(TransportFailure) {
        guard case .some(var query) = try exactQuery(key, authentication) else {
            _ = try transport.add(addition)
            return
        }
        try add(authentication, to: &query)
        try transport.set(query.entries, attributes, orAdd: addition)
    }

    private func add(_ authentication: Authentication, to query: inout ItemDictionary) throws(TransportFailure) {
        if case .skipping = authentication.way {
            throw TransportFailure(status: errSecParam, reason: "guarded items can be skipped in a listing only")
        }
        query.add(authentication)
    }

    /// A query for the row of a key; `nil` when another row is in the way and this one is not there.
    private func exactQuery(
        _ key: ItemKey,
        _ authentication: Authentication
    ) throws(TransportFailure) -> ItemDictionary? {
        let query = ItemDictionary(key)
        guard key.itemClass == .key, key.attributes[KeyTable.tokenID] == nil, try hasTwin(query) else { return query }
        var all = query
        all.entries[kSecMatchLimit as String] = kSecMatchLimitAll
        all.entries[kSecReturnPersistentRef as String] = true
        try add(authentication, to: &all)
        let rows = try transport.copyMatching(all.returning(kSecReturnAttributes)) as? [[String: Any]] ?? []
        guard let row = rows.first(where: { $0[KeyTable.tokenID] == nil }),
            let reference = row[kSecValuePersistentRef as String] as? Data
        else { return nil }
        return ItemDictionary(reference: reference, key.itemClass)
    }

    /// Whether a key in the Secure Enclave matches as well; told in every state of the device, and without asking
    /// anybody.
    private func hasTwin(_ query: ItemDictionary) throws(TransportFailure) -> Bool {
        var twin = query
        twin.entries[KeyTable.tokenID] = kSecAttrTokenIDSecureEnclave
        twin.add(.forbidden)
        do throws(TransportFailure) {
            _ = try transport.copyMatching(twin.entries)
            return true
        } catch {
            switch error.status {
            case errSecItemNotFound: return false
            case errSecInteractionNotAllowed: return true
            default: throw error
            }
        }
    }
}
