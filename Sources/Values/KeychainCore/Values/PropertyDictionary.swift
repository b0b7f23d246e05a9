// SPDX-License-Identifier: Apache-2.0

/// A dictionary that a caller passes to the item functions.
package struct PropertyDictionary: Sendable, Hashable {
    /// The entries whose key is a string.
    package var entries: PropertyEntries

    /// The kinds of the keys that are not strings.
    package var foreignKeys: Set<ForeignKey>

    /// The kinds of keys that are not strings.
    package enum ForeignKey: Sendable, Hashable {
        /// A number, which names no attribute.
        case number(KeychainNumber)
        /// Anything else.
        case other
    }

    /// A dictionary of string keys.
    package init(_ entries: [String: PropertyValue] = [:], foreignKeys: Set<ForeignKey> = []) {
        self.init(PropertyEntries(entries), foreignKeys: foreignKeys)
    }

    /// A dictionary of entries.
    package init(_ entries: PropertyEntries, foreignKeys: Set<ForeignKey> = []) {
        self.entries = entries
        self.foreignKeys = foreignKeys
    }

    /// The value of one key.
    package subscript(key: String) -> PropertyValue? {
        get { entries[key] }
        set { entries[key] = newValue }
    }
}

extension PropertyDictionary: ExpressibleByDictionaryLiteral {
    /// A dictionary from literal entries; a key given twice keeps its last value.
    package init(dictionaryLiteral elements: (String, PropertyValue)...) {
        var entries = PropertyEntries()
        entries.reserveCapacity(elements.count + 1)
        for (key, value) in elements { entries[key] = value }
        self.init(entries)
    }
}
