// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// The search tags of values that call after call has: access groups and synchronizability, which are no secrets.
///
/// It belongs to one keybag, whose key the tags are made with. Not thread-safe.
public final class SearchTagCache {
    private var tags: [Value: SearchTag] = [:]

    /// What a tag is made of.
    private struct Value: Hashable {
        let itemClass: ItemClass
        let name: AttributeName
        let value: AttributeValue
    }

    /// More than any program has of groups, times the classes; a tool that goes through all groups has few of them.
    private static let capacity = 64

    /// A cache without tags.
    public init() {}

    /// The tag of a value, which `make` makes when it is not there.
    func tag(
        _ itemClass: ItemClass,
        _ column: Column,
        _ value: AttributeValue,
        _ make: () -> SearchTag
    ) -> SearchTag {
        guard column.name == .accessGroup || column.name == .synchronizable else { return make() }
        let key = Value(itemClass: itemClass, name: column.name, value: value)
        if let tag = tags[key] { return tag }
        let tag = make()
        if tags.count >= Self.capacity { tags.removeAll(keepingCapacity: true) }
        tags[key] = tag
        return tag
    }
}
