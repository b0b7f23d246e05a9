// SPDX-License-Identifier: Apache-2.0

/// What a verdict is about, so that a tool needs to read no sentence: each key with one value, or several.
package struct VerdictNames: Sendable, Hashable {
    /// The values of each key, in order and without repetition.
    package private(set) var values: [Key: [String]] = [:]

    /// What can be named; the raw value is the key in reports.
    package enum Key: String, Sendable, CaseIterable {
        /// A column, or another entry of a dictionary.
        case attribute
        /// A ``Relation``.
        case relation
        /// The class of the item that was meant.
        case itemClass = "class"
        /// An access group.
        case group
        /// A protection level.
        case level
        /// `certificate` or `key`: the missing one.
        case half
        /// `query` or `update`.
        case side
        /// The status of an earlier call.
        case status
        /// The name of a client.
        case client
        /// `file` or `data-protection`: where the item is.
        case keychain
    }

    package init() {}

    init(_ values: [Key: [String]]) {
        for (key, values) in values { self[key] = values }
    }

    package subscript(key: Key) -> [String] {
        get { values[key] ?? [] }
        set {
            let sorted = Set(newValue).sorted()
            values[key] = sorted.isEmpty ? nil : sorted
        }
    }
}
