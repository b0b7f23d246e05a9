// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// The search tags of values that call after call has: access groups and synchronizability, which are no secrets.
///
/// It belongs to one keybag, whose key the tags are made with. Not thread-safe.
public final class SearchTagCache {
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
    public init() {}

    /// The tag of an attribute's class, name and value as they are hashed, which `make` makes when it is not there.
    func tag(_ column: Column, of input: [UInt8], _ make: ([UInt8]) -> SearchTag) -> SearchTag {
        guard column.name == .accessGroup || column.name == .synchronizable, input.count <= Self.longestInput else {
            return make(input)
        }
        let key = Input(bytes: input)
        if let tag = tags[key] { return tag }
        let tag = make(input)
        if tags.count >= Self.capacity { tags.removeAll(keepingCapacity: true) }
        tags[key] = tag
        return tag
    }
}
