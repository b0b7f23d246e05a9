// SPDX-License-Identifier: Apache-2.0

/// The attributes by which programs of the Secret Service find an item: names with values, each name once, in the order
/// of the bytes of the names.
///
/// They are not the attributes of an item dictionary: programs choose the names. Names and values are compared by the
/// bytes of their UTF-8, never as Swift compares strings, and they hold no NUL, which D-Bus cannot transport.
package struct LookupAttributes: Sendable {
    /// The pairs, in the order of the bytes of their names.
    package private(set) var pairs: [Pair]

    /// A name and its value.
    package struct Pair: Sendable {
        /// The name; may be empty.
        package var name: String
        /// The value; an empty one is a value.
        package var value: String

        /// A pair.
        package init(_ name: String, _ value: String) { (self.name, self.value) = (name, value) }
    }

    /// The maximum number of pairs.
    package static let maximumCount = 256

    /// The maximum number of bytes of a name, of a value, and of a label.
    package static let maximumTextByteCount = 64 << 10

    /// The maximum number of bytes of all names and values together.
    package static let maximumByteCount = 1 << 20

    /// No attributes.
    package init() { pairs = [] }

    /// Attributes from pairs in any order.
    ///
    /// - Throws: `errSecParam` for a name that occurs twice, a NUL, or more than the limits allow.
    package init(_ pairs: [Pair]) throws(KeychainError) {
        try self.init(ofAnySize: pairs)
        try checkSize()
    }

    /// The same without the limits, which single values may pass: an item function sets a column to any text.
    package init(ofAnySize pairs: [Pair]) throws(KeychainError) {
        self.pairs = pairs.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
        for (pair, next) in zip(self.pairs, self.pairs.dropFirst()) where pair.name.hasSameBytes(as: next.name) {
            throw .parameter("a lookup attribute is given twice")
        }
        guard !self.pairs.contains(where: { $0.name.utf8.contains(0) || $0.value.utf8.contains(0) }) else {
            throw .parameter("a lookup attribute contains NUL")
        }
    }

    private static let tooLarge = KeychainError.parameter(
        "an item has at most \(maximumCount) lookup attributes, with at most \(maximumTextByteCount) bytes in a name or a "
            + "value, and \(maximumByteCount) together"
    )

    /// The number of bytes of all names and values.
    package var byteCount: Int { pairs.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count } }

    /// Refuses more than the limits allow, which a change of single values may have brought.
    ///
    /// - Throws: `errSecParam`.
    package func checkSize() throws(KeychainError) {
        let areShort = pairs.allSatisfy { pair in
            max(pair.name.utf8.count, pair.value.utf8.count) <= Self.maximumTextByteCount
        }
        guard areShort, pairs.count <= Self.maximumCount, byteCount <= Self.maximumByteCount else {
            throw Self.tooLarge
        }
    }

    /// The number of pairs.
    package var count: Int { pairs.count }

    /// Whether there are no pairs.
    package var isEmpty: Bool { pairs.isEmpty }

    /// The value of a name; `nil` if there is none, and to remove it.
    package subscript(name: String) -> String? {
        get { pairs.first { $0.name.hasSameBytes(as: name) }?.value }
        set {
            let index = pairs.firstIndex { !$0.name.utf8.lexicographicallyPrecedes(name.utf8) } ?? pairs.count
            let isThere = index < pairs.count && pairs[index].name.hasSameBytes(as: name)
            switch (newValue, isThere) {
            case (let value?, true): pairs[index].value = value
            case (let value?, false): pairs.insert(Pair(name, value), at: index)
            case (nil, true): pairs.remove(at: index)
            case (nil, false): break
            }
        }
    }

    /// Whether every pair of a search is among these: an empty search is satisfied by all.
    package func satisfy(_ search: LookupAttributes) -> Bool {
        search.pairs.allSatisfy { self[$0.name]?.hasSameBytes(as: $0.value) ?? false }
    }
}

extension LookupAttributes.Pair: Hashable {
    /// Whether name and value have the same bytes.
    package static func == (left: Self, right: Self) -> Bool {
        left.name.hasSameBytes(as: right.name) && left.value.hasSameBytes(as: right.value)
    }

    /// Hashes the bytes of both.
    package func hash(into hasher: inout Hasher) {
        for text in [name, value] {
            hasher.combine(text.utf8.count)
            for byte in text.utf8 { hasher.combine(byte) }
        }
    }
}

extension LookupAttributes: Hashable {}

extension String {
    /// Whether two texts have the same bytes; Swift's `==` ignores how characters are composed.
    package func hasSameBytes(as other: String) -> Bool { utf8.elementsEqual(other.utf8) }
}
