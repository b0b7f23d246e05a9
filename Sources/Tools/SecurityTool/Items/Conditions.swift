// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// Conditions on attribute values that select items.
///
/// An empty attribute and an absent one are the same, as in keychain files.
struct Conditions: Sendable {
    /// Values for the keychain to match.
    private(set) var attributes: [String: PropertyValue] = [:]

    private var blanks: [AttributeName] = []

    /// Adds a condition on an attribute of a class.
    mutating func set(_ name: AttributeName, to value: PropertyValue, by schema: ItemSchema) {
        // A part of the key is never absent.
        if value == .string(""), schema[name]?.defaultValue == nil {
            blanks.append(name)
        } else {
            attributes[name.description] = value
        }
    }

    /// Whether some attributes have to be empty, which can be checked only on the items.
    var hasBlanks: Bool { !blanks.isEmpty }

    /// The same for keychain files; `nil` for a value that no item can have.
    func ofFiles(_ itemClass: ItemClass) -> FileItemConditions? {
        let schema = ItemSchema.of(itemClass)
        var conditions = FileItemConditions(itemClass)
        for name in blanks { conditions.values[name] = .some(nil) }
        for (key, value) in attributes {
            guard let name = AttributeName(key), let column = schema[name], let value = try? column.coerce(value) else {
                return nil
            }
            conditions.values[name] = value
        }
        return conditions
    }

    /// Whether the attributes that have to be empty are.
    func haveOnlyBlanks(in item: StoredItem) -> Bool {
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
