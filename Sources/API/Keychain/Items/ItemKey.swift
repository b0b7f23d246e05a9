// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The primary key of an item: its class, its access group, its synchronizability and the attributes of the class.
///
/// Two rows with the same key cannot coexist. An attribute that an add omits still has a value in the key, so every key
/// here contains all of them: a query that omits one would match any value.
public struct ItemKey: Hashable, Sendable {
    /// The class.
    public let itemClass: Class

    /// The access group; `nil` for the app's default group, the first in its list.
    public var accessGroup: String?

    /// Whether the item is in the set that is synchronized.
    public var isSynchronizable: Bool

    /// The further attributes of the key, by their names in the keychain's dictionaries.
    public let attributes: [String: Value]

    /// Creates a key; attributes of the class's key that are not given have the value that an add stores.
    ///
    /// - Parameters:
    ///   - itemClass: the class.
    ///   - attributes: attributes of the key; attributes outside the class's key are ignored.
    ///   - accessGroup: the access group; `nil` for the app's default group.
    ///   - isSynchronizable: whether the item is in the set that is synchronized.
    public init(
        _ itemClass: Class,
        _ attributes: [String: Value],
        accessGroup: String? = nil,
        isSynchronizable: Bool = false
    ) {
        self.itemClass = itemClass
        self.accessGroup = accessGroup
        self.isSynchronizable = isSynchronizable
        let defaults = PrimaryKeyTable.columns(of: itemClass).map { column in
            (column.name, column.stored(attributes[column.name] ?? column.value))
        }
        self.attributes = Dictionary(uniqueKeysWithValues: defaults)
            .merging(attributes.filter { PrimaryKeyTable.optionalNames(of: itemClass).contains($0.key) }) { $1 }
    }

    /// The classes of stored items.
    public enum Class: String, Sendable, Hashable, CaseIterable {
        /// A generic password: a secret of a service.
        case genericPassword
        /// A password for a server.
        case internetPassword
        /// A cryptographic key.
        case key
        /// A certificate.
        case certificate
    }
}

extension ItemKey: CustomStringConvertible {
    /// The class and the attributes that differ from their defaults.
    public var description: String {
        let columns = PrimaryKeyTable.columns(of: itemClass)
        var parts = columns.filter { attributes[$0.name] != $0.value }.compactMap { column in
            attributes[column.name].map { "\(column.title) \($0)" }
        }
        for name in PrimaryKeyTable.optionalNames(of: itemClass).sorted() {
            if let value = attributes[name] { parts.append("token \(value)") }
        }
        if let accessGroup { parts.append("access group \(Value.text(accessGroup))") }
        if isSynchronizable { parts.append("synchronizable") }
        return ([itemClass.title] + (parts.isEmpty ? [] : ["(\(parts.joined(separator: ", ")))"])).joined(
            separator: " "
        )
    }
}

extension ItemKey.Class {
    /// The class in words.
    var title: String {
        switch self {
        case .genericPassword: "generic password"
        case .internetPassword: "internet password"
        case .key: "key"
        case .certificate: "certificate"
        }
    }
}
