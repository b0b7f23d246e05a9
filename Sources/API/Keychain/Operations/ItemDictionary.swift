// SPDX-License-Identifier: Apache-2.0

import Foundation
import PortableLocalAuthentication
import PortableSecurity

/// A dictionary for an item function, put together from the values of this module.
struct ItemDictionary {
    var entries: [String: Any] = [:]

    /// New attributes, of an add or a change.
    init(_ protection: Protection, _ details: ItemDetails) throws(TransportFailure) {
        try add(protection)
        add(details)
    }

    /// The change of an item.
    init(_ update: ItemUpdate) throws(TransportFailure) {
        if let protection = update.protection { try add(protection) }
        if let data = update.data { entries[kSecValueData as String] = data }
        if let group = update.accessGroup { entries[kSecAttrAccessGroup as String] = group }
        if let flag = update.isSynchronizable { entries[kSecAttrSynchronizable as String] = flag }
        add(update.details)
    }

    /// A query for one item.
    init(_ key: ItemKey) { add(key) }

    /// A query for the row of a persistent reference.
    init(reference: Data, _ itemClass: ItemKey.Class) {
        add(itemClass)
        entries[kSecValuePersistentRef as String] = reference
    }

    /// A query for many items, in all groups of the app if no access group is named.
    init<Item>(_ selection: ItemSelection<Item>, accessGroup: String?) {
        add(selection.itemClass)
        for (name, value) in selection.conditions { entries[name] = value.object }
        if let accessGroup { entries[kSecAttrAccessGroup as String] = accessGroup }
        entries[kSecAttrSynchronizable as String] =
            selection.isSynchronizable.map { $0 as Any } ?? kSecAttrSynchronizableAny
    }

    mutating func add(_ key: ItemKey) {
        add(key.itemClass)
        for (name, value) in key.attributes { entries[name] = value.object }
        entries[kSecAttrSynchronizable as String] = key.isSynchronizable
        if let group = key.accessGroup { entries[kSecAttrAccessGroup as String] = group }
    }

    mutating func add(_ contents: ItemContents) {
        switch contents {
        case .data(let data): entries[kSecValueData as String] = data
        case .key(let key): entries[kSecValueRef as String] = key
        case .certificate(let certificate): entries[kSecValueRef as String] = certificate
        }
    }

    mutating func add(_ authentication: Authentication) {
        switch authentication.way {
        case .allowed(nil): break
        case .allowed(let reason?):
            let context = LAContext()
            context.localizedReason = reason
            entries[kSecUseAuthenticationContext as String] = context
        case .context(let context): entries[kSecUseAuthenticationContext as String] = context
        case .forbidden: entries[kSecUseAuthenticationUI as String] = kSecUseAuthenticationUIFail
        case .skipping: entries[kSecUseAuthenticationUI as String] = kSecUseAuthenticationUISkip
        }
    }

    func returning(_ flag: CFString) -> [String: Any] {
        var entries = entries
        entries[flag as String] = true
        return entries
    }

    private mutating func add(_ itemClass: ItemKey.Class) {
        entries[kSecClass as String] = itemClass.constant
        // A Mac has an older keychain besides, with other rules.
        entries[kSecUseDataProtectionKeychain as String] = true
    }

    private mutating func add(_ protection: Protection) throws(TransportFailure) {
        guard let attribute = protection.attribute else {
            throw TransportFailure(
                status: errSecParam,
                reason: "the constraints of the protection contradict each other"
            )
        }
        entries[attribute.name] = attribute.value
    }

    private mutating func add(_ details: ItemDetails) {
        if let label = details.label { entries[kSecAttrLabel as String] = label }
        if let kind = details.kind { entries[kSecAttrDescription as String] = kind }
        if let comment = details.comment { entries[kSecAttrComment as String] = comment }
        if let generic = details.generic { entries[kSecAttrGeneric as String] = generic }
    }
}

extension ItemKey.Class {
    var constant: CFString {
        switch self {
        case .genericPassword: kSecClassGenericPassword
        case .internetPassword: kSecClassInternetPassword
        case .key: kSecClassKey
        case .certificate: kSecClassCertificate
        }
    }
}
