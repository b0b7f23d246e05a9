// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// Turns a dictionary into a ``Query`` (Semantics, "Classification of keys", "Class of a query" and "Values and combinations").
enum QueryParser {
    /// A dictionary with more entries than a class has columns may not exceed this sum.
    private static let largestKeySum = 128

    /// - Throws: `errSecParam`, `errSecNoSuchClass` or `errSecNoSuchAttr` for the first violation.
    static func parse(_ dictionary: PropertyDictionary) throws(KeychainError) -> Query {
        guard !dictionary.foreignKeys.contains(.other) else { throw .parameter("a key is not a string") }
        let reference = try dictionary[PropertyKey.valuePersistentReference].map { value throws(KeychainError) in
            try PersistentReference(value)
        }
        var query = Query(itemClass: try itemClass(dictionary, reference))
        query.reference = reference
        query.authenticationUI = AuthenticationUI(dictionary)
        guard dictionary.foreignKeys.isEmpty else {
            throw KeychainError(.noSuchAttribute, "a key is a number, which no attribute has as its name")
        }
        try checkSize(dictionary, query.schema)
        // Sorted, so that a dictionary with several faults always gets the same answer.
        for (key, value) in dictionary.entries.sorted(by: { $0.key < $1.key }) {
            try take(key, value, into: &query)
        }
        try AccessControlRules.checkConflict(query.attributes)
        if query.attributes[.sharingGroup] != nil, case .exactly(let value)? = query.scope, value.isTrue {
            throw .parameter("an item of a sharing group cannot be synchronizable")
        }
        return query
    }

    private static func itemClass(
        _ dictionary: PropertyDictionary,
        _ reference: PersistentReference?
    ) throws(KeychainError) -> ItemClass {
        let given = dictionary[PropertyKey.itemClass]
        guard case .string(let name)? = given else {
            guard let reference else { throw .parameter("kSecClass is missing or not a string") }
            guard given == nil else { throw KeychainError(.noSuchClass, "kSecClass is not a string") }
            return reference.itemClass
        }
        guard let itemClass = ItemClass(rawValue: name) else {
            throw KeychainError(.noSuchClass, "kSecClass names no item class")
        }
        if let reference, reference.itemClass != itemClass {
            throw KeychainError(.noSuchClass, "kSecClass contradicts the persistent reference")
        }
        return itemClass
    }

    private static func checkSize(_ dictionary: PropertyDictionary, _ schema: ItemSchema) throws(KeychainError) {
        let others = dictionary.entries.keys.count { key in
            AttributeName(key).flatMap { schema[$0] } == nil
        }
        guard schema.columnCount + others <= largestKeySum else { throw .parameter("the dictionary has too many keys") }
    }

    /// Sorts a key by its length and its first character.
    private static func take(_ key: String, _ value: PropertyValue, into query: inout Query) throws(KeychainError) {
        guard key.utf16.count != 4 else { return try takeAttribute(key, value, into: &query) }
        switch key.first {
        case "c":
            guard key == PropertyKey.itemClass else { throw unknown(key) }
        case "m" where key.count > 1:
            try query.match.set(key, value)
        case "r":
            try takeReturnFlag(key, value, into: &query)
        case "u":
            try takeUse(key, value, into: &query)
        case "v":
            try takeValue(key, value, into: &query)
        case "f" where key.count > 1:
            break
        default:
            throw unknown(key)
        }
    }

    private static func takeAttribute(
        _ key: String,
        _ value: PropertyValue,
        into query: inout Query
    ) throws(KeychainError) {
        if key == PropertyKey.useDataProtectionKeychain { return }
        guard let column = AttributeName(key).flatMap({ query.schema[$0] }) else {
            throw KeychainError(.noSuchAttribute, "the class has no attribute '\(key)'")
        }
        if column.name == .synchronizable, value == .string(PropertyKey.synchronizableAny) {
            query.scope = .any
            return
        }
        guard let converted = try column.coerce(value) else { return }
        if column.name == .synchronizable {
            query.scope = .exactly(converted)
        } else {
            query.attributes[column.name] = converted
        }
    }

    private static func takeReturnFlag(
        _ key: String,
        _ value: PropertyValue,
        into query: inout Query
    ) throws(KeychainError) {
        guard let flag = ReturnFlags(key: key) else { throw unknown(key) }
        guard case .boolean(let isSet) = value else { throw .parameter("'\(key)' is not a Boolean") }
        if isSet { query.returns.insert(flag) }
    }

    private static func takeUse(
        _ key: String,
        _ value: PropertyValue,
        into query: inout Query
    ) throws(KeychainError) {
        switch key {
        case PropertyKey.useItemList: query.hasItemList = true
        case PropertyKey.useAuthenticationContext:
            guard case .authenticationContext(let context) = value else {
                throw .parameter("kSecUseAuthenticationContext is not an LAContext")
            }
            query.context = context
        case PropertyKey.useOperationPrompt:
            // Its type is not checked; only a string can be shown.
            if case .string(let prompt) = value { query.operationPrompt = prompt }
        case PropertyKey.useCredentialReference:
            guard case .data = value else { throw .parameter("kSecUseCredentialReference is not data") }
        case PropertyKey.useAuthenticationUI, PropertyKey.useNoAuthenticationUI:
            break
        default: throw unknown(key)
        }
    }

    private static func takeValue(
        _ key: String,
        _ value: PropertyValue,
        into query: inout Query
    ) throws(KeychainError) {
        switch key {
        case PropertyKey.valueData:
            query.data = try value.secret()
            query.isDataTooLarge = query.data == nil
        case PropertyKey.valuePersistentReference: break
        default: throw unknown(key)
        }
    }

    private static func unknown(_ key: String) -> KeychainError {
        .parameter("'\(key)' is not a key that the keychain knows")
    }
}

extension PropertyValue {
    /// The value of `kSecValueData`; `nil` for more than an item can hold.
    ///
    /// - Throws: `errSecParam` for what is not data.
    func secret() throws(KeychainError) -> SecretBytes? {
        switch self {
        case .data(let data): data.count <= ItemLimits.secretByteCount ? data : nil
        case .oversizedData: nil
        default: throw .parameter("kSecValueData is not data")
        }
    }
}

extension KeychainError {
    /// The answer for a secret that no item can hold; it is given before anything is sealed.
    static let secretTooLarge = KeychainError(
        .dataTooLarge,
        "the secret is larger than \(ItemLimits.secretByteCount) bytes"
    )
}
