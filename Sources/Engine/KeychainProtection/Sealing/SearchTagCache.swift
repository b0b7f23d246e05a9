// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// The search tags of values that call after call has: access groups and synchronizability, which are no secrets.
///
/// It belongs to one keybag, whose key the tags are made with. Not thread-safe.
package final class SearchTagCache {
    /// By what each is the tag of, byte for byte: strings that Swift takes for equal have tags of their own.
    private var tags: [Input: SearchTag] = [:]

    /// What a tag is made of; an array by itself would be hashed byte by byte, which takes as long as making the tag.
    private struct Input: Hashable {
        let bytes: [UInt8]

        func hash(into hasher: inout Hasher) { bytes.withUnsafeBytes { hasher.combine(bytes: $0) } }
    }

    /// More than any program has of groups, times the classes; a tool that goes through all groups has few of them.
    private static let capacity = 64

    /// Longer than any group that a program is signed with.
    private static let longestInput = 512

    /// A cache without tags.
    package init() {}

    /// Whether tags of a column are kept, of the input that one would be made of: its class, name and value.
    func takes(_ column: Column, _ input: [UInt8]) -> Bool {
        (column.name == .accessGroup || column.name == .synchronizable) && input.count <= Self.longestInput
    }

    /// The tag that was made of an input.
    subscript(input: [UInt8]) -> SearchTag? {
        get { tags[Input(bytes: input)] }
        set {
            if tags.count >= Self.capacity { tags.removeAll(keepingCapacity: true) }
            tags[Input(bytes: input)] = newValue
        }
    }
}
