// SPDX-License-Identifier: Apache-2.0

import Foundation
import PortableSecurity

/// Creates queries that match exactly the row of one primary key.
///
/// A query without an access group searches every group, while an add stores in the default one; so each query names a
/// group. Every other part of a key has a value in each row, except the token: a query for a key without one would also
/// find one in the Secure Enclave, if an app has given both the same label. Persistent references distinguish such a
/// pair.
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
    /// - Throws: ``TransportFailure``, `errSecMissingEntitlement` if the default group is requested and there is none:
    ///   searching every group would be something else.
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
    /// - Throws: ``TransportFailure``, `errSecItemNotFound` if it is already known that there is none.
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
        to attributes: [String: Any],
        orAdd addition: [String: Any],
        authentication: Authentication
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

    /// A query for the row of a key; `nil` if another row matches instead and this one does not exist.
    private func exactQuery(
        _ key: ItemKey,
        _ authentication: Authentication
    ) throws(TransportFailure) -> ItemDictionary? {
        let query = ItemDictionary(key)
        guard key.itemClass == .key, key.attributes[PrimaryKeyTable.tokenID] == nil, try hasTwin(query) else {
            return query
        }
        var all = query
        all.entries[kSecMatchLimit as String] = kSecMatchLimitAll
        all.entries[kSecReturnPersistentRef as String] = true
        try add(authentication, to: &all)
        let rows = try transport.copyMatching(all.returning(kSecReturnAttributes)) as? [[String: Any]] ?? []
        guard let row = rows.first(where: { $0[PrimaryKeyTable.tokenID] == nil }),
            let reference = row[kSecValuePersistentRef as String] as? Data
        else { return nil }
        return ItemDictionary(reference: reference, key.itemClass)
    }

    /// Whether a key in the Secure Enclave also matches; works in every state of the device, and never prompts.
    private func hasTwin(_ query: ItemDictionary) throws(TransportFailure) -> Bool {
        var twin = query
        twin.entries[PrimaryKeyTable.tokenID] = kSecAttrTokenIDSecureEnclave
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
