// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// The search tags of values that recur in many calls: access groups and synchronizability, which are not secret.
///
/// It belongs to one keybag, whose key the tags are created with. Not thread-safe.
package final class SearchTagCache {
    /// The tags by their inputs, compared bytewise: strings that Swift considers equal have separate tags.
    private var tags: [Input: SearchTag] = [:]

    /// The input of a tag; an array by itself would be hashed byte by byte, which takes as long as computing the tag.
    private struct Input: Hashable {
        let bytes: [UInt8]

        func hash(into hasher: inout Hasher) { bytes.withUnsafeBytes { hasher.combine(bytes: $0) } }
    }

    /// More than the groups of any program times the classes; a tool that visits all groups needs few of them.
    private static let capacity = 64

    /// Longer than any group that a program is signed with.
    private static let longestInput = 512

    /// A cache without tags.
    package init() {}

    /// Whether tags of a column are cached, and for which input: its class, name and value.
    func takes(_ column: Column, _ input: [UInt8]) -> Bool {
        (column.name == .accessGroup || column.name == .synchronizable) && input.count <= Self.longestInput
    }

    /// The cached tag of an input.
    subscript(input: [UInt8]) -> SearchTag? {
        get { tags[Input(bytes: input)] }
        set {
            if tags.count >= Self.capacity { tags.removeAll(keepingCapacity: true) }
            tags[Input(bytes: input)] = newValue
        }
    }
}
