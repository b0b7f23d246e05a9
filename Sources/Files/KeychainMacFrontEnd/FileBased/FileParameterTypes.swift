// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// The required types of values in a call on file-based keychains (Semantics, "Parameters of the file-based keychain");
/// every other key accepts any type.
enum FileParameterTypes {
    /// Rejects a dictionary with a value of the wrong type.
    ///
    /// - Parameters:
    ///   - dictionary: the dictionary.
    ///   - isOfChanges: whether it is the new attributes of an update, in which data is not a string.
    /// - Throws: `errSecParam`.
    static func check(_ dictionary: PropertyDictionary, isOfChanges: Bool = false) throws(KeychainError) {
        for (key, value) in dictionary.entries {
            guard let allowed = table[key] else { continue }
            let isString = isOfChanges && key == PropertyKey.valueData && value.type == .string
            guard let type = value.type, allowed.contains(type), !isString else {
                throw .parameter("the value of '\(key)' has a wrong type", subject: key)
            }
        }
    }

    /// Another name of `kSecAttrAccess`.
    static let oldAccessKey = "kSecAttrAccess"

    enum ValueType {
        case string, number, data, date, null, array, policy, keychain, access, reference
    }

    private static let table: [String: Set<ValueType>] = [
        PropertyKey.matchPolicy: [.policy],
        PropertyKey.matchSearchList: [.array],
        PropertyKey.matchItemList: [.array],
        PropertyKey.useItemList: [.array],
        PropertyKey.matchIssuers: [.array],
        PropertyKey.matchEmailAddressIfPresent: [.string],
        AttributeName.service.description: [.string],
        AttributeName.keyClass.description: [.string],
        PropertyKey.matchValidOnDate: [.date, .null],
        PropertyKey.matchLimit: [.string, .number],
        PropertyKey.useKeychain: [.keychain],
        PropertyKey.access: [.access],
        oldAccessKey: [.access],
        AttributeName.issuer.description: [.data],
        "slnr": [.data],
        PropertyKey.valuePersistentReference: [.data],
        PropertyKey.valueData: [.data, .string],
        PropertyKey.valueReference: [.reference],
    ]
}

extension PropertyValue {
    fileprivate var type: FileParameterTypes.ValueType? {
        switch self {
        case .string: .string
        case .number: .number
        case .data, .oversizedData: .data
        case .date: .date
        case .null: .null
        case .array: .array
        case .policy: .policy
        case .keychain: .keychain
        case .access: .access
        case .reference: .reference
        case .boolean, .uuid, .accessControl, .authenticationContext, .nested, .object: nil
        }
    }
}
