// SPDX-License-Identifier: Apache-2.0

import Crypto
import KeychainCore

/// Makes the search tags of one operation (Documentation/Format.md, "Search tags").
///
/// A tag is HMAC-SHA-256 (RFC 2104, FIPS 198-1), cut to its first 16 bytes, over the length-prefixed item class,
/// attribute and comparison form. The keyed state lives as long as the operation, so that many tags cost one set-up.
public struct SearchTags {
    private let keyed: HMAC<SHA256>

    init(_ key: SearchTagKey) {
        keyed = key.key.withKey { HMAC<SHA256>(key: $0) }
    }

    /// The tag of one attribute value.
    public func tag(_ itemClass: ItemClass, _ column: Column, _ value: AttributeValue) -> SearchTag {
        var form: [UInt8] = []
        column.appendComparisonForm(of: value, to: &form)
        var input = Self.prefix(itemClass)
        input.append(littleEndian: UInt32(4))
        input.append(littleEndian: column.name.code.bigEndian)
        input.append(littleEndian: UInt32(truncatingIfNeeded: form.count))
        input += form
        return authenticate(input)
    }

    /// The tag of the whole primary key; an absent attribute leaves a fixed mark.
    public func primaryKeyTag(_ schema: ItemSchema, _ attributes: Attributes) -> SearchTag {
        var input = Self.prefix(schema.itemClass)
        input.append(littleEndian: UInt32(0))
        for column in schema.primaryKey {
            guard let value = attributes[column.name] else {
                input.append(0)
                continue
            }
            var form: [UInt8] = []
            column.appendComparisonForm(of: value, to: &form)
            input.append(1)
            input.append(littleEndian: UInt32(truncatingIfNeeded: form.count))
            input += form
        }
        return authenticate(input)
    }

    /// The tags of every searchable attribute that is there, ordered by name.
    public func tags(_ schema: ItemSchema, _ attributes: Attributes) -> [AttributeTag] {
        schema.searchable.compactMap { column in
            attributes[column.name].map {
                AttributeTag(name: column.name, tag: tag(schema.itemClass, column, $0))
            }
        }
    }

    private static func prefix(_ itemClass: ItemClass) -> [UInt8] {
        var input: [UInt8] = []
        input.reserveCapacity(96)
        input.append(littleEndian: UInt32(itemClass.rawValue.utf8.count))
        input += itemClass.rawValue.utf8
        return input
    }

    private func authenticate(_ input: [UInt8]) -> SearchTag {
        var mac = keyed
        mac.update(data: input)
        guard let tag = mac.finalize().withUnsafeBytes({ SearchTag($0) }) else {
            preconditionFailure("HMAC-SHA-256 has 32 bytes")
        }
        return tag
    }
}
