// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// The constants of dictionary keys and values, as code writes them.
enum KeyNames {
    /// The constant of a key, such as `kSecAttrAccount` for `acct`; the key itself if there is none.
    static func constant(_ key: String, of itemClass: ItemClass? = nil) -> String {
        if itemClass == .key || itemClass == .identity, let name = ofKeys[key] { return name }
        return names[key] ?? key
    }

    /// Whether a key is one of the keychain's.
    static func isKnown(_ key: String) -> Bool { names[key] != nil || AttributeName(key).map(isColumn) ?? false }

    private static func isColumn(_ name: AttributeName) -> Bool {
        ItemClass.stored.contains { ItemSchema.of($0)[name] != nil }
    }

    /// The constant of a value, if a key has constants for values; `nil` otherwise.
    static func constant(ofValue text: String, for key: String) -> String? {
        switch key {
        case PropertyKey.itemClass: row(text, .itemClass, prefix: "kSecClass")
        case AttributeName.accessible.description: row(text, .accessibility)
        case PropertyKey.matchLimit: row(text, .match, prefix: "kSecMatchLimit")
        case PropertyKey.useAuthenticationUI: row(text, .useKey, prefix: "kSecUseAuthenticationUI")
        case AttributeName.synchronizable.description: row(text, .token, prefix: "kSecAttrSynchronizable")
        case "ptcl": row(text, .protocolType)
        case "atyp": row(text, .authenticationType)
        default: nil
        }
    }

    private static func row(_ text: String, _ group: ConstantTable.Group, prefix: String = "") -> String? {
        ConstantTable.rows(in: group).first { $0.value == text && $0.name.hasPrefix(prefix) }?.name
    }

    private static let names: [String: String] = {
        let groups: [ConstantTable.Group] = [.match, .returnKey, .valueKey, .useKey, .attribute]
        let rows = groups.flatMap { ConstantTable.rows(in: $0) }
        var names = Dictionary(rows.map { ($0.value, $0.name) }) { first, _ in first }
        names[PropertyKey.itemClass] = "kSecClass"
        names["crtr"] = "kSecAttrCreator"
        names["type"] = "kSecAttrType"
        return names
    }()

    /// Names for the same string that differ by class.
    private static let ofKeys = ["crtr": "kSecAttrKeyCreator", "type": "kSecAttrKeyType"]
}
