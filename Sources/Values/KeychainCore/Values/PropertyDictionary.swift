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

/// The entries of a ``PropertyDictionary``, in the order in which they were added.
///
/// A request has about five, so that a linear search is faster than hashing; for many entries, hashes are kept as well.
package struct PropertyEntries: Sendable {
    private var elements: [Element]

    /// The position of each key in ``elements``; `nil` while there are few.
    private var positions: [String: Int]?

    /// More than this are found by their hashes.
    private static let maximumSearchedElements = 24

    /// An entry.
    package typealias Element = (key: String, value: PropertyValue)

    /// No entries.
    package init() { elements = [] }

    /// The entries of a dictionary.
    package init(_ dictionary: [String: PropertyValue]) {
        elements = dictionary.map { $0 }
        indexPositions()
    }

    /// Reserves capacity for a number of entries.
    package mutating func reserveCapacity(_ count: Int) { elements.reserveCapacity(count) }

    /// The value of a key; `nil` if there is none, and to remove it.
    package subscript(key: String) -> PropertyValue? {
        get { position(of: key).map { elements[$0].value } }
        set {
            switch (newValue, position(of: key)) {
            case (let value?, let position?): elements[position].value = value
            case (let value?, nil):
                elements.append((key, value))
                if positions == nil { indexPositions() } else { positions?[key] = elements.count - 1 }
            case (nil, let position?):
                // The last entry is moved to its position, so that no others move.
                elements.swapAt(position, elements.count - 1)
                elements.removeLast()
                guard positions != nil else { return }
                positions?[key] = nil
                if position < elements.count { positions?[elements[position].key] = position }
            case (nil, nil): break
            }
        }
    }

    /// The number of entries.
    package var count: Int { elements.count }

    /// Whether there are no entries.
    package var isEmpty: Bool { elements.isEmpty }

    /// The keys.
    package var keys: [String] { elements.map(\.key) }

    /// The values.
    package var values: [PropertyValue] { elements.map(\.value) }

    /// The entries as a dictionary.
    package var dictionary: [String: PropertyValue] { Dictionary(uniqueKeysWithValues: elements) }

    /// The entries for which `isIncluded` returns `true`.
    package func filter(_ isIncluded: (Element) throws -> Bool) rethrows -> PropertyEntries {
        var filtered = PropertyEntries()
        filtered.elements = try elements.filter(isIncluded)
        filtered.indexPositions()
        return filtered
    }

    /// Merges entries, and calls `combine` to choose between the old and the new value of an existing key.
    package mutating func merge(
        _ other: some Sequence<Element>,
        uniquingKeysWith combine: (PropertyValue, PropertyValue) throws -> PropertyValue
    ) rethrows {
        for (key, value) in other { self[key] = try self[key].map { try combine($0, value) } ?? value }
    }

    private func position(of key: String) -> Int? {
        if let positions { return positions[key] }
        return elements.firstIndex { $0.key == key }
    }

    private mutating func indexPositions() {
        guard elements.count > Self.maximumSearchedElements else { return }
        var positions: [String: Int] = [:]
        positions.reserveCapacity(elements.count)
        for index in elements.indices { positions[elements[index].key] = index }
        self.positions = positions
    }
}

extension PropertyEntries: Sequence {
    /// Goes through the entries.
    package func makeIterator() -> IndexingIterator<[Element]> { elements.makeIterator() }

    /// The number of entries.
    package var underestimatedCount: Int { count }
}

extension PropertyEntries: Hashable {
    /// Whether both have the same entries, in any order.
    package static func == (left: PropertyEntries, right: PropertyEntries) -> Bool {
        left.count == right.count && left.allSatisfy { right[$0.key] == $0.value }
    }

    /// Feeds the entries, regardless of their order.
    package func hash(into hasher: inout Hasher) {
        var sum = 0
        for (key, value) in elements {
            var entry = Hasher()
            entry.combine(key)
            entry.combine(value)
            sum ^= entry.finalize()
        }
        hasher.combine(count)
        hasher.combine(sum)
    }
}
