// SPDX-License-Identifier: Apache-2.0
import KeychainCore

/// The linter's view of the keys of keychain dictionaries, from the engine's tables.
package enum KeyTable {
    private static let names = Set(ConstantTable.rows.map(\.name))

    /// Keys by their strings: the meaning of `"acct"` as a key.
    private static let keysByString: [String: String] = {
        let groups: [ConstantTable.Group] = [.match, .returnKey, .valueKey, .useKey, .attribute]
        let rows = groups.flatMap { ConstantTable.rows(in: $0) }.filter { !isValue($0.name) }
        var result = Dictionary(rows.map { ($0.value, $0.name) }) { first, _ in first }
        result["class"] = "kSecClass"
        return result
    }()

    private static func isValue(_ name: String) -> Bool {
        ["kSecMatchLimitAll", "kSecMatchLimitOne"].contains(name) || name.hasPrefix("kSecUseAuthenticationUIA")
            || name == "kSecUseAuthenticationUIFail" || name == "kSecUseAuthenticationUISkip"
    }

    /// Names with the same string as the canonical name here.
    private static let aliases = [
        "kSecAttrKeyCreator": "kSecAttrCreator", "kSecAttrPersistantReference": "kSecAttrPersistentReference",
        "kSecUseDataProtectionKeychainKey": "kSecUseDataProtectionKeychain",
        "kSecAttrKeyTypeEC": "kSecAttrKeyTypeECSECPrimeRandom",
        "kSecAttrKeyTypeECDSA": "kSecAttrKeyTypeECSECPrimeRandom",
    ]

    /// Whether a name is one of the constants of the Security framework.
    package static func isConstant(_ name: String) -> Bool {
        name.hasPrefix("kSec") || name.hasPrefix("errSec") || name == "noErr" || name.hasPrefix("kCFBoolean")
    }

    /// The canonical name of a constant.
    package static func canonical(_ name: String) -> String { aliases[name] ?? name }

    /// The key that a string stands for, such as `acct`.
    package static func key(string: String) -> String? { keysByString[string] }

    /// The class that a value of `kSecClass` stands for.
    package static func itemClass(_ value: Value) -> ItemClass? {
        switch value {
        case .constant(let name):
            ConstantTable.value(named: name).flatMap { ItemClass(rawValue: $0) }
        case .string(let text): ItemClass(rawValue: text)
        default: nil
        }
    }

    /// The protection class that a value of `kSecAttrAccessible` stands for.
    package static func accessibility(_ value: Value) -> Accessibility? {
        switch value {
        case .constant(let name): ConstantTable.value(named: name).flatMap { Accessibility(rawValue: $0) }
        case .string(let text): Accessibility(rawValue: text)
        default: nil
        }
    }

    package static func isMatchKey(_ key: String) -> Bool { key.hasPrefix("kSecMatch") }
    package static func isReturnKey(_ key: String) -> Bool { key.hasPrefix("kSecReturn") }
    package static func isUseKey(_ key: String) -> Bool { key.hasPrefix("kSecUse") }
    package static func isAttribute(_ key: String) -> Bool { key.hasPrefix("kSecAttr") }

    package static let referenceKeys = [
        "kSecValueRef", "kSecValuePersistentRef", "kSecMatchItemList", "kSecUseItemList",
    ]

    /// The four-character column of an attribute's key, if it has one.
    package static func column(_ key: String) -> AttributeName? {
        ConstantTable.value(named: key).flatMap { AttributeName($0) }
    }

    /// Attributes that are columns but that clients do not name as such, or that every class accepts.
    private static let everywhere: Set<String> = [
        "kSecAttrPersistentReference", "kSecAttrAccess", "kSecAttrTokenID", "kSecAttrAccessGroup",
        "kSecAttrSynchronizable", "kSecAttrAccessible", "kSecAttrAccessControl", "kSecAttrLabel",
        "kSecAttrCreationDate", "kSecAttrModificationDate",
    ]

    /// Whether items of a class have an attribute (Semantics, "Attributes of each class").
    package static func isSupported(_ key: String, by itemClass: ItemClass) -> Bool {
        if everywhere.contains(key) { return true }
        guard let column = column(key) else {
            // Attributes without a column, such as those of key derivation, belong to no class.
            return !["kSecAttrPRF", "kSecAttrSalt", "kSecAttrRounds"].contains(key)
        }
        return ItemSchema.of(itemClass)[column] != nil
    }

    /// Whether an attribute takes part in the primary key of a class.
    package static func isKeyAttribute(_ key: String, of itemClass: ItemClass) -> Bool {
        guard let column = column(key) else { return false }
        return ItemSchema.of(itemClass)[column]?.isPrimaryKey ?? false
    }

    /// The key of a column: `kSecAttrAccount` of `acct`.
    private static func key(_ column: AttributeName) -> String {
        keysByString[column.description] ?? column.description
    }

    /// Attributes whose texts programs choose to name their items.
    static let chosenNames: Set<String> = Set(
        ItemClass.stored.flatMap { itemClass in
            let schema = ItemSchema.of(itemClass)
            return schema.namings.joined().filter { schema[$0]?.kind == .blob }.map(key)
        }
    )

    /// Whether items of a class that differ in an attribute are surely two: it is part of the primary key, or the label
    /// that programs give.
    static func distinguishesItems(_ key: String, in itemClass: ItemClass) -> Bool {
        guard let column = column(key) else { return false }
        return column == .accessGroup || column == "labl"
            || ItemSchema.of(itemClass).identifyingColumns.contains { $0.name == column }
    }

    /// The columns that a dictionary lacks to name exactly one item; empty if it does.
    package static func missingIdentity(_ variant: AbstractDictionary.Variant, _ itemClass: ItemClass) -> [String] {
        if referenceKeys.contains(where: { variant.has($0) }) { return [] }
        let lacking = ItemSchema.of(itemClass).namings.map { $0.map(key).filter { !variant.has($0) } }
        return lacking.contains([]) ? [] : lacking.last ?? ["kSecValueRef"]
    }
}
