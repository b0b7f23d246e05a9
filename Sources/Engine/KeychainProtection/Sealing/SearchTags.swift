// SPDX-License-Identifier: Apache-2.0

import Crypto
import KeychainCore

/// Computes the search tags of one operation (Documentation/Format.md, "Search tags").
///
/// A tag is HMAC-SHA-256 (RFC 2104, FIPS 198-1), truncated to its first 16 bytes, over the length-prefixed item class,
/// attribute and comparison form. The keyed state lives as long as the operation, so that many tags cost one setup.
package struct SearchTags {
    private let keyed: KeyedHash
    private let cache: SearchTagCache?

    init(_ key: SearchTagKey, _ cache: SearchTagCache? = nil) {
        keyed = key.key.withUnsafeBytes { KeyedHash($0) }
        self.cache = cache
    }

    /// The tag of one attribute value.
    package func tag(in itemClass: ItemClass, column: Column, value: AttributeValue) -> SearchTag {
        var input = Self.beginning(itemClass)
        return tag(column, value, after: &input)
    }

    /// The tag of one attribute value of the class with which `input` begins; what was in it besides is replaced.
    private func tag(_ column: Column, _ value: AttributeValue, after input: inout [UInt8]) -> SearchTag {
        input.removeSubrange(Self.beginningByteCount...)
        input.append(littleEndian: UInt32(4))
        input.append(littleEndian: column.name.code.bigEndian)
        Self.append(column, value, to: &input)
        guard let cache, cache.caches(column, input) else { return tag(of: input) }
        if let known = cache[input] { return known }
        let tag = tag(of: input)
        cache[input] = tag
        return tag
    }

    /// The tag of the whole primary key; an absent attribute leaves a fixed mark.
    package func primaryKeyTag(_ schema: ItemSchema, _ attributes: Attributes) -> SearchTag {
        var input = Self.beginning(schema.itemClass)
        input.append(littleEndian: UInt32(0))
        for column in schema.primaryKey {
            guard let value = attributes[column.name] else {
                input.append(0)
                continue
            }
            input.append(1)
            Self.append(column, value, to: &input)
        }
        return tag(of: input)
    }

    /// The tag of the primary key of an item that replaces a row, which has it already if the key is the same.
    func primaryKeyTag(
        _ schema: ItemSchema,
        _ attributes: Attributes,
        replacing old: ReplacedRow?
    ) -> SearchTag {
        guard let old, !schema.primaryKey.contains(where: { old.changed.contains($0.name) }) else {
            return primaryKeyTag(schema, attributes)
        }
        return old.row.primaryKeyTag
    }

    /// The tags of every searchable attribute that is present, sorted by name.
    ///
    /// An item that replaces a row keeps the tags of its unchanged attributes.
    package func tags(
        _ schema: ItemSchema,
        _ attributes: Attributes,
        replacing old: ReplacedRow? = nil
    ) -> [AttributeTag] {
        var tags: [AttributeTag] = []
        tags.reserveCapacity(schema.searchable.count)
        // One array for the input of every tag.
        var input = Self.beginning(schema.itemClass)
        for column in schema.searchable {
            guard let value = attributes[column.name] else { continue }
            if let old, !old.changed.contains(column.name),
                let known = old.row.tags.first(where: { $0.name == column.name })
            {
                tags.append(known)
            } else {
                tags.append(AttributeTag(name: column.name, tag: tag(column, value, after: &input)))
            }
        }
        return tags
    }

    /// The length of the class, and its four characters.
    private static let beginningByteCount = 8

    private static func beginning(_ itemClass: ItemClass) -> [UInt8] {
        var input: [UInt8] = []
        input.reserveCapacity(128)
        input.append(littleEndian: UInt32(itemClass.rawValue.utf8.count))
        input += itemClass.rawValue.utf8
        return input
    }

    /// Appends the comparison form of a value after its length.
    private static func append(_ column: Column, _ value: AttributeValue, to input: inout [UInt8]) {
        let lengthOffset = input.count
        input.append(littleEndian: UInt32(0))
        column.appendComparisonForm(of: value, to: &input)
        let length = UInt32(truncatingIfNeeded: input.count - lengthOffset - 4)
        input.withUnsafeMutableBytes {
            $0.storeBytes(of: length.littleEndian, toByteOffset: lengthOffset, as: UInt32.self)
        }
    }

    private func tag(of input: [UInt8]) -> SearchTag {
        var hash = keyed
        hash.update(input)
        guard let tag = hash.finalize().withUnsafeBytes({ SearchTag($0) }) else {
            preconditionFailure("HMAC-SHA-256 has 32 bytes")
        }
        return tag
    }
}

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
    func caches(_ column: Column, _ input: [UInt8]) -> Bool {
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

/// The key of search tags, derived from an index key.
struct SearchTagKey: Sendable {
    let key: LockedKey

    init(_ indexKey: LockedKey, of storeIdentifier: Bytes16) throws(ProtectionError) {
        let memory = try LockedMemory(keyCapacity: 1)
        key = try memory.store(KeyDerivation.derive("search tags", from: indexKey, context: storeIdentifier.bytes))
    }
}
