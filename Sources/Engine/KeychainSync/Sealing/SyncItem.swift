// SPDX-License-Identifier: Apache-2.0

import Crypto
import KeychainCore

/// An item or a tombstone as it travels.
package struct SyncItem: Sendable, Hashable {
    /// What there is at a slot.
    package enum Content: Sendable, Hashable {
        /// An item: its attributes, and its secret if it has one.
        case item(Attributes, secret: SecretBytes?)
        /// The item was deleted.
        case tombstone
    }

    /// The class.
    package let itemClass: ItemClass
    /// When it was changed; of an item the same as its `mdat`.
    package let date: Timestamp
    /// The content.
    package let content: Content

    /// The attributes that stay on a device, or are implied.
    package static let local: [AttributeName] = [
        .synchronizable, .digest, "UUID", .accessControl, .systemBound, .appClip, .tombstone, .history,
    ]

    /// An item with the attributes that travel.
    package init(_ itemClass: ItemClass, _ attributes: Attributes, secret: SecretBytes?) throws(SyncFault) {
        let travelling = attributes.filter { !Self.local.contains($0.key) }
        guard case .date(let date)? = travelling[.modificationDate] else { throw .item }
        try self.init(itemClass, date, content: .item(travelling, secret: secret))
    }

    /// A tombstone.
    package init(tombstone itemClass: ItemClass, date: Timestamp) throws(SyncFault) {
        try self.init(itemClass, date, content: .tombstone)
    }

    init(_ itemClass: ItemClass, _ date: Timestamp, content: Content) throws(SyncFault) {
        guard itemClass != .identity, date.canTravel else { throw .item }
        if case .item(let attributes, _) = content {
            guard attributes[.modificationDate] == .date(date), attributes.count <= SyncFormat.Limit.attributes,
                !attributes.keys.contains(where: Self.local.contains), Self.level(attributes) != nil
            else { throw .item }
        }
        self.itemClass = itemClass
        self.date = date
        self.content = content
    }

    /// Whether it is a tombstone.
    package var isTombstone: Bool { content == .tombstone }

    /// The class of the key that seals it; `nil` for a tombstone, which has that of the record that it replaces.
    package var level: SyncClass? {
        guard case .item(let attributes, _) = content else { return nil }
        return Self.level(attributes)
    }

    private static func level(_ attributes: Attributes) -> SyncClass? {
        switch attributes[.accessible] {
        case .string("ak"): .whenUnlocked
        case .string("ck"), .string("dk"): .afterFirstUnlock
        default: nil
        }
    }

    /// What decides between two versions of one date (Documentation/SyncFormat.md, "Digest").
    package func digest(at slot: Bytes16) -> SyncDigest {
        var hash = SHA256()
        switch content {
        case .tombstone:
            var bytes = SyncFormat.information("tombstone digest", slot.bytes)
            bytes.append(date: date)
            hash.update(data: bytes)
        case .item(let attributes, let secret):
            var bytes = SyncFormat.information("item digest", Array(itemClass.rawValue.utf8))
            bytes.append(block: AttributeList.encode(attributes))
            bytes.append(secret == nil ? 0 : 1)
            hash.update(data: bytes)
            secret?.withUnsafeBytes { hash.update(bufferPointer: $0) }
        }
        guard let digest = hash.finalize().withUnsafeBytes({ SyncDigest($0) }) else {
            preconditionFailure("SHA-256 has 32 bytes")
        }
        return digest
    }

    /// Date and digest.
    package func version(at slot: Bytes16) -> SyncVersion { SyncVersion(date: date, digest: digest(at: slot)) }
}

extension ZoneKeys {
    /// The place of a primary key in a zone, by the input of its search tag without `sync` (Documentation/Format.md,
    /// "Search tags").
    package func slot(_ itemClass: ItemClass, _ attributes: Attributes) -> Bytes16 {
        var input: [UInt8] = []
        input.append(block: Array(itemClass.rawValue.utf8))
        input.append(littleEndian: UInt32(0))
        for column in ItemSchema.of(itemClass).primaryKey where column.name != .synchronizable {
            guard let value = attributes[column.name] else {
                input.append(0)
                continue
            }
            var form: [UInt8] = []
            column.appendComparisonForm(of: value, to: &form)
            input.append(1)
            input.append(block: form)
        }
        let code = HMAC<SHA256>.authenticationCode(for: input, using: slots)
        guard let slot = code.withUnsafeBytes({ Bytes16($0) }) else { preconditionFailure("it has 32 bytes") }
        return slot
    }
}

/// The bytes of attributes, as those of a row (Documentation/Format.md, "Metadata"), without access control.
enum AttributeList {
    private enum Kind: UInt8 {
        case string = 1
        case data = 2
        case integer = 3
        case unsigned = 4
        case real = 5
        case date = 6
    }

    static func encode(_ attributes: Attributes) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(count: attributes.count)
        for (name, value) in attributes {
            bytes.append(littleEndian: name.code.bigEndian)
            switch value {
            case .string(let text): append(.string, Array(text.utf8), to: &bytes)
            case .data(let data): append(.data, data, to: &bytes)
            case .number(.integer(let number)): append(.integer, number, to: &bytes)
            case .number(.unsigned(let number)): append(.unsigned, number, to: &bytes)
            case .number(.real(let number)): append(.real, number.bitPattern, to: &bytes)
            case .date(let date): append(.date, date.secondsSinceReferenceDate.bitPattern, to: &bytes)
            case .accessControl: preconditionFailure("an item with an access control does not travel")
            }
        }
        return bytes
    }

    private static func append(_ kind: Kind, _ content: [UInt8], to bytes: inout [UInt8]) {
        bytes.append(kind.rawValue)
        bytes.append(block: content)
    }

    private static func append(_ kind: Kind, _ content: some FixedWidthInteger, to bytes: inout [UInt8]) {
        var content8: [UInt8] = []
        content8.append(littleEndian: content)
        append(kind, content8, to: &bytes)
    }

    /// The attributes; only what `encode` writes is read, so that one item has one digest.
    static func decode(_ bytes: [UInt8]) throws(SyncFault) -> Attributes {
        var reader = SyncReader(plain: bytes[...], .record)
        let count = try reader.count(SyncFormat.Limit.attributes)
        var attributes = Attributes(minimumCapacity: count)
        var last: UInt32?
        for _ in 0..<count {
            let code = try reader.integer(UInt32.self).bigEndian
            if let last, last >= code { throw reader.fault }
            last = code
            guard let kind = Kind(rawValue: try reader.integer(UInt8.self)) else { throw reader.fault }
            var content = SyncReader(plain: try reader.block(SyncFormat.Limit.recordByteCount)[...], .record)
            attributes[AttributeName(code: code)] = try value(kind, &content)
            try content.end()
        }
        try reader.end()
        return attributes
    }

    private static func value(_ kind: Kind, _ content: inout SyncReader) throws(SyncFault) -> AttributeValue {
        switch kind {
        case .string:
            guard let text = String(validating: try content.rest(), as: UTF8.self) else { throw content.fault }
            return .string(text)
        case .data: return .data(try content.rest())
        case .integer: return .number(.integer(try content.integer(Int64.self)))
        case .unsigned: return .number(.unsigned(try content.integer(UInt64.self)))
        case .real: return .number(.real(Double(bitPattern: try content.integer(UInt64.self))))
        case .date:
            let bits = try content.integer(UInt64.self)
            let date = Timestamp(secondsSinceReferenceDate: Double(bitPattern: bits))
            guard date.secondsSinceReferenceDate.bitPattern == bits else { throw content.fault }
            return .date(date)
        }
    }
}
