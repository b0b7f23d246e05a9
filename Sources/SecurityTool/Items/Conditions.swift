// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// Which items are meant: those whose attributes have these values.
///
/// To file keychains an attribute that is empty and one that is absent are the same.
struct Conditions: Sendable {
    /// Values for the keychain to look for.
    private(set) var attributes: [String: PropertyValue] = [:]

    private var blanks: [AttributeName] = []

    /// Asks for a value of an attribute of a class.
    mutating func set(_ name: AttributeName, _ value: PropertyValue, _ schema: ItemSchema) {
        // What is part of the key is never absent.
        if value == .string(""), schema[name]?.defaultValue == nil {
            blanks.append(name)
        } else {
            attributes[name.description] = value
        }
    }

    /// Whether an item has the values, as bytes: what is empty and what is absent are the same, and so is 0.
    func hold(_ item: StoredItem) -> Bool {
        let haveValues = attributes.allSatisfy { name, value in
            guard let name = AttributeName(name) else { return false }
            return Self.bytes(item[name]) == Self.bytes(value)
        }
        return haveValues && holdBlanks(item)
    }

    private static func bytes(_ value: PropertyValue?) -> [UInt8] {
        value == .number(.integer(0)) ? [] : AttributeBlock.bytes(value) ?? []
    }

    /// Whether the attributes that are to be empty are.
    func holdBlanks(_ item: StoredItem) -> Bool {
        blanks.allSatisfy { name in
            switch item[name] {
            case nil, .null?: true
            case .string(let text)?: text.isEmpty
            case .data(let bytes)?: bytes.isEmpty
            default: false
            }
        }
    }
}
