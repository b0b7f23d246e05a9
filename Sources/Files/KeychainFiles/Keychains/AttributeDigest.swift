// SPDX-License-Identifier: Apache-2.0

import Crypto
import KeychainCore

/// A digest of the attributes of an item, SHA-256 (FIPS 180-4), its lookup attributes included; its dates, which every
/// change sets, are not.
enum AttributeDigest {
    /// How many bytes a digest has: 32.
    static let byteCount = SHA256.byteCount

    /// The digest of attributes as they are stored: those without a value, or with the default value, count as absent.
    ///
    /// - Throws: `errSecParam` or `errSecDecode` for a value that cannot be stored.
    static func of(_ attributes: [String: PropertyValue], _ itemClass: ItemClass) throws(KeychainError) -> [UInt8] {
        var hash = SHA256()
        hash.update(data: Array(itemClass.rawValue.utf8))
        let schema = ItemSchema.of(itemClass)
        for (name, value) in attributes.sorted(by: { $0.key < $1.key }) {
            guard let name = AttributeName(name), !dates.contains(name),
                let bytes = try stored(value, as: name, in: schema)?.digestedBytes
            else { continue }
            hash.update(data: Array(name.description.utf8))
            hash.update(data: [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: UInt32(bytes.count) >> $0) })
            hash.update(data: bytes)
        }
        return Array(hash.finalize())
    }

    /// The value as it is stored; `nil` for none, and for the default value.
    private static func stored(
        _ value: PropertyValue,
        as name: AttributeName,
        in schema: ItemSchema
    ) throws(KeychainError) -> AttributeValue? {
        if name == .lookup, case .data(let bytes) = value { return .data(bytes.unprotectedCopy) }
        guard let column = schema[name] else { return nil }
        let stored = try column.coerce(value)
        return stored == column.defaultValue ? nil : stored
    }

    private static let dates: Set<AttributeName> = [.creationDate, .modificationDate]
}

extension AttributeValue {
    /// The type in one byte, and the value.
    fileprivate var digestedBytes: [UInt8] {
        switch self {
        case .string(let text): [1] + text.utf8
        case .data(let bytes): [2] + bytes
        case .number(let number): [3] + "\(number)".utf8
        case .date(let date): [4] + "\(date.secondsSinceReferenceDate)".utf8
        default: [5]
        }
    }
}
