// SPDX-License-Identifier: Apache-2.0

/// The attributes of an item or of a query: a dictionary, in the order of the names.
///
/// An item has about twenty, so that searching a sorted array is faster than hashing, and a file's order is that of the
/// array.
package struct Attributes: Sendable, Hashable {
    private var entries: [Entry]

    fileprivate struct Entry: Sendable, Hashable {
        let name: AttributeName
        var value: AttributeValue
    }

    /// No attributes.
    package init() { entries = [] }

    /// No attributes, with capacity for a number of them.
    package init(minimumCapacity: Int) {
        entries = []
        entries.reserveCapacity(minimumCapacity)
    }

    /// The value of an attribute; `nil` if there is none, and to remove it.
    package subscript(name: AttributeName) -> AttributeValue? {
        get {
            let index = index(of: name)
            return index < entries.count && entries[index].name == name ? entries[index].value : nil
        }
        set {
            let index = index(of: name)
            let isThere = index < entries.count && entries[index].name == name
            switch (newValue, isThere) {
            case (let value?, true): entries[index].value = value
            case (let value?, false) where index == entries.count: entries.append(Entry(name: name, value: value))
            case (let value?, false): entries.insert(Entry(name: name, value: value), at: index)
            case (nil, true): entries.remove(at: index)
            case (nil, false): break
            }
        }
    }

    /// The number of attributes.
    package var count: Int { entries.count }

    /// Whether there are no attributes.
    package var isEmpty: Bool { entries.isEmpty }

    /// The names, in their order.
    package var keys: [AttributeName] { entries.map(\.name) }

    /// Merges attributes, and calls `combine` to choose between the old and the new value of an existing one.
    package mutating func merge(
        _ other: Attributes,
        uniquingKeysWith combine: (AttributeValue, AttributeValue) -> AttributeValue
    ) {
        for (name, value) in other { self[name] = self[name].map { combine($0, value) } ?? value }
    }

    /// These attributes and others; `combine` chooses between the values of one that is in both.
    package func merging(
        _ other: Attributes,
        uniquingKeysWith combine: (AttributeValue, AttributeValue) -> AttributeValue
    ) -> Attributes {
        var merged = self
        merged.merge(other, uniquingKeysWith: combine)
        return merged
    }

    /// The attributes for which `isIncluded` returns `true`.
    package func filter(_ isIncluded: (Element) -> Bool) -> Attributes {
        var filtered = self
        filtered.entries.removeAll { !isIncluded(($0.name, $0.value)) }
        return filtered
    }

    /// The position of a name, or its insertion position.
    private func index(of name: AttributeName) -> Int {
        // Attributes from a file, or merged ones, arrive in order.
        guard let last = entries.last, name <= last.name else { return entries.count }
        var (low, high) = (0, entries.count - 1)
        while low < high {
            let middle = (low + high) / 2
            if entries[middle].name < name { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

extension Attributes: Sequence {
    /// An attribute and its value.
    package typealias Element = (key: AttributeName, value: AttributeValue)

    /// Goes through the attributes in the order of their names.
    package struct Iterator: IteratorProtocol {
        fileprivate var entries: IndexingIterator<[Entry]>

        /// The next attribute.
        package mutating func next() -> Element? { entries.next().map { ($0.name, $0.value) } }
    }

    /// Goes through the attributes in the order of their names.
    package func makeIterator() -> Iterator { Iterator(entries: entries.makeIterator()) }

    /// The number of attributes.
    package var underestimatedCount: Int { count }
}

extension Attributes: ExpressibleByDictionaryLiteral {
    /// Attributes written down, each once.
    package init(dictionaryLiteral elements: (AttributeName, AttributeValue)...) {
        self.init(minimumCapacity: elements.count)
        for (name, value) in elements {
            precondition(self[name] == nil, "an attribute is given twice")
            self[name] = value
        }
    }
}

extension Attributes {
    /// Whether these are the attributes of a key in the Secure Enclave.
    ///
    /// Its row contains the sealed form, which is useless elsewhere: the access control protects the use of the key,
    /// which the enclave enforces, and not reading the row. Only keys have a key class.
    package var areOfEnclaveKey: Bool {
        self[.tokenID] == .string(PropertyKey.tokenSecureEnclave) && self[.keyClass] != nil
    }
}
