// SPDX-License-Identifier: Apache-2.0

/// The subjects of a verdict, so that tools need not parse sentences: each key with one value, or several.
package struct VerdictNames: Sendable, Hashable {
    /// The values of each key, in order and without repetition.
    package private(set) var values: [Key: [String]] = [:]

    /// The kinds of subjects; the raw value is the key in reports.
    package enum Key: String, Sendable, CaseIterable {
        /// A column, or another entry of a dictionary.
        case attribute
        /// A ``Relation``.
        case relation
        /// The class of the intended item.
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
        /// `file` or `data-protection`: the keychain that has the item.
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
