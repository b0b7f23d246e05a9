// SPDX-License-Identifier: Apache-2.0

import CredentialHelpers
import KeychainCore

/// A password that leaves the keychain.
struct ExportedItem: Sendable {
    let entry: CredentialStore.Entry
    let secret: SecretBytes

    /// The attributes that an add can store, by their names in dictionaries.
    let attributes: [String: PropertyValue]

    /// What programs of the Secret Service find it by, where it has such attributes of its own.
    let lookup: LookupRecord?

    /// Reads a password.
    init(_ entry: CredentialStore.Entry, _ surroundings: Surroundings) throws(Refusal) {
        self.entry = entry
        secret = try surroundings.secret(of: entry)
        let schema = ItemSchema.of(entry.itemClass)
        var attributes = entry.attributes.filter { key, value in
            guard let column = AttributeName(key).flatMap({ schema[$0] }) else { return false }
            // An add sets the times.
            return column.access == .open && key != "cdat" && key != "mdat" && value != .null
                && !Self.isDefault(value, of: column)
        }
        if case .accessControl(let control)? = attributes["accc"] {
            if control.constraints == nil { attributes["accc"] = nil } else { attributes["pdmn"] = nil }
        }
        if attributes["sync"] != nil, !entry.isSynchronizable { attributes["sync"] = nil }
        attributes["agrp"] = .string(entry.accessGroup)
        self.attributes = attributes
        lookup = try Self.lookup(of: entry, attributes, surroundings)
    }

    private static func isDefault(_ value: PropertyValue, of column: Column) -> Bool {
        switch value {
        case .string(""), .number(.integer(0)), .boolean(false): true
        case .data(let bytes): bytes.isEmpty
        default: false
        }
    }

    private static func lookup(
        of entry: CredentialStore.Entry,
        _ attributes: [String: PropertyValue],
        _ surroundings: Surroundings
    ) throws(Refusal) -> LookupRecord? {
        guard !entry.isSynchronizable, let identifier = entry.identifier, entry.accessGroup == Client.commonGroup else {
            return nil
        }
        let record = try refusing { () throws(KeychainError) in
            try surroundings.keychain.lookupRecord(of: identifier)
        }
        var named: [AttributeName: PropertyValue] = [:]
        for (key, value) in attributes { if let name = AttributeName(key) { named[name] = value } }
        let columns = named.columns(of: entry.itemClass)
        guard let record, !LookupMapping.areDerived(record.attributes, from: columns, of: entry.itemClass) else {
            return nil
        }
        return record
    }
}
