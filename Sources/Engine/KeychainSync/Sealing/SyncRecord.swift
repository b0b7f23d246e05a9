// SPDX-License-Identifier: Apache-2.0

import Crypto
import KeychainCore

/// A sealed item or tombstone, as an engine stores it under its slot (Documentation/SyncFormat.md, "Record").
package struct SyncRecord: Sendable, Hashable {
    /// The epoch of the key.
    package let epoch: UInt32
    /// The class of the key.
    package let level: SyncClass
    /// The bytes.
    package let bytes: [UInt8]

    /// The hash that a commit names.
    package var hash: SyncDigest { SyncDigest(hashing: bytes) }

    /// What an engine sees of a record, and a tombstone takes over from the record that it replaces.
    package struct Shape: Sendable, Hashable {
        /// The class of the key.
        package let level: SyncClass
        /// The number of its bytes.
        package let byteCount: Int

        /// A shape.
        package init(level: SyncClass, byteCount: Int) {
            self.level = level
            self.byteCount = byteCount
        }
    }

    /// Its shape.
    package var shape: Shape { Shape(level: level, byteCount: bytes.count) }

    private static let headerByteCount = 26
    private static let step = 256
    /// Bytes of a record around its padded content.
    package static let overheadByteCount = headerByteCount + SyncSeal.overheadByteCount

    /// Reads the header; the content stays sealed.
    package init(_ bytes: [UInt8]) throws(SyncFault) {
        guard bytes.count <= SyncFormat.Limit.recordByteCount else { throw .tooLarge(.record) }
        var reader = try SyncReader(bytes, .record)
        epoch = try reader.integer(UInt32.self)
        guard let level = SyncClass(rawValue: try reader.integer(UInt8.self)) else { throw reader.fault }
        self.level = level
        _ = try reader.identifier()
        let sealed = try reader.rest()
        let content = sealed.count - SyncSeal.overheadByteCount
        guard epoch >= 1, content >= Self.step, content.isMultiple(of: Self.step) else { throw reader.fault }
        self.bytes = bytes
    }

    /// Seals an item for its slot.
    ///
    /// - Parameters:
    ///   - item: the item.
    ///   - slot: the slot.
    ///   - keys: the keys of the zone.
    ///   - place: the zone.
    ///   - replaced: the shape of the record that is at the slot: a tombstone takes it over.
    ///   - salt: a value for this record alone.
    ///   - nonce: a nonce, for test vectors.
    /// - Throws: ``SyncFault/tooLarge(_:)``; ``SyncFault/key``.
    package init(
        _ item: SyncItem,
        at slot: Bytes16,
        _ keys: ZoneKeys,
        in place: SyncPlace,
        replacing replaced: Shape? = nil,
        salt: Bytes16 = .random(),
        nonce: [UInt8]? = nil
    ) throws(SyncFault) {
        let level = item.level ?? replaced?.level ?? .afterFirstUnlock
        var count = Self.content(of: item, slot, length: 0).count
        if item.isTombstone, let replaced {
            count = max(count, replaced.byteCount - Self.overheadByteCount - 1)
        }
        let padded = SyncSeal.paddedCount(count, step: Self.step)
        guard padded + Self.overheadByteCount <= SyncFormat.Limit.recordByteCount else { throw .tooLarge(.record) }
        let content = Self.content(of: item, slot, length: padded)
        var header = [UInt8].beginning(.record)
        header.append(littleEndian: keys.epoch)
        header.append(level.rawValue)
        header.append(salt)
        let (key, associated) = Self.key(header, keys.key(level), at: slot, in: place)
        epoch = keys.epoch
        self.level = level
        bytes = header + (try SyncSeal.seal(content, under: key, associated, nonce: nonce))
    }

    /// The item.
    package func open(at slot: Bytes16, _ keys: ZoneKeys, in place: SyncPlace) throws(SyncFault) -> SyncItem {
        guard keys.epoch == epoch else { throw .epoch }
        let header = Array(bytes[..<Self.headerByteCount])
        let (key, associated) = Self.key(header, keys.key(level), at: slot, in: place)
        let sealed = Array(bytes[Self.headerByteCount...])
        let plaintext = try SyncSeal.open(sealed, of: .record, under: key, associated)
        let item = try Self.item(plaintext, at: slot)
        // An item under the other class's key would be readable when it must not be.
        guard item.level == nil || item.level == level else { throw .item }
        if case .item(let attributes, _) = item.content {
            // An item of another key would appear where nobody looks for it.
            guard keys.slot(item.itemClass, attributes) == slot else { throw .item }
        }
        return item
    }

    private static func key(
        _ header: [UInt8],
        _ classKey: SymmetricKey,
        at slot: Bytes16,
        in place: SyncPlace
    ) -> (SymmetricKey, [UInt8]) {
        let salt = Array(header[10...])
        let key = SyncFormat.expand(classKey, "record", context: place.bytes + slot.bytes + salt)
        return (key, SyncFormat.information("record", place.bytes + slot.bytes + header))
    }

    /// The plain bytes with their padding; without one for the length 0.
    private static func content(of item: SyncItem, _ slot: Bytes16, length: Int) -> SecretBytes {
        var bytes: [UInt8] = [item.isTombstone ? 1 : 0]
        bytes += item.itemClass.rawValue.utf8
        bytes.append(date: item.date)
        bytes.append(item.digest(at: slot))
        var secret: SecretBytes?
        if case .item(let attributes, let itsSecret) = item.content {
            bytes.append(block: AttributeList.encode(attributes))
            secret = itsSecret
            bytes.append(secret == nil ? 0 : 1)
            bytes.append(littleEndian: UInt32(truncatingIfNeeded: secret?.count ?? 0))
        }
        let count = bytes.count + (secret?.count ?? 0)
        return SecretBytes(count: max(length, count)) { buffer in
            buffer.copyBytes(from: bytes)
            secret?.withUnsafeBytes { secret in
                UnsafeMutableRawBufferPointer(rebasing: buffer[bytes.count..<count]).copyMemory(from: secret)
            }
            if length > count { buffer[count] = 0x80 }
        }
    }

    /// The item of plain bytes.
    static func item(_ plaintext: SecretBytes, at slot: Bytes16) throws(SyncFault) -> SyncItem {
        try plaintext.withUnsafeBytes { (bytes) throws(SyncFault) in
            guard let count = SyncSeal.contentCount(bytes, step: step) else { throw .malformed(.record) }
            var reader = PlainSyncReader(UnsafeRawBufferPointer(rebasing: bytes[..<count]))
            let kind = try reader.bytes(1)[0]
            let name = String(decoding: try reader.bytes(4), as: UTF8.self)
            guard kind <= 1, let itemClass = ItemClass(rawValue: name) else { throw .malformed(.record) }
            var head = SyncReader(plain: Array(try reader.bytes(8 + SyncDigest.byteCount))[...], .record)
            let date = try head.date()
            let digest = try head.digest()
            let content: SyncItem.Content
            if kind == 1 {
                content = .tombstone
            } else {
                let attributes = try AttributeList.decode(Array(try reader.bytes(Int(try reader.count()))))
                let flag = try reader.bytes(1)[0]
                let secret = try reader.bytes(Int(try reader.count()))
                guard flag == 1 || (flag == 0 && secret.isEmpty) else { throw .malformed(.record) }
                content = .item(attributes, secret: flag == 1 ? SecretBytes(copying: secret) : nil)
            }
            guard reader.isAtEnd else { throw .malformed(.record) }
            let item = try SyncItem(itemClass, date, content: content)
            guard item.digest(at: slot) == digest else { throw .item }
            return item
        }
    }
}

/// Reads plain bytes in their place, so that a secret has no further copy.
private struct PlainSyncReader {
    private var rest: UnsafeRawBufferPointer

    init(_ bytes: UnsafeRawBufferPointer) { rest = bytes }

    var isAtEnd: Bool { rest.isEmpty }

    mutating func bytes(_ count: Int) throws(SyncFault) -> UnsafeRawBufferPointer {
        guard count <= rest.count else { throw .malformed(.record) }
        defer { rest = UnsafeRawBufferPointer(rebasing: rest[count...]) }
        return UnsafeRawBufferPointer(rebasing: rest[..<count])
    }

    mutating func count() throws(SyncFault) -> UInt32 {
        UInt32(littleEndian: try bytes(4).loadUnaligned(as: UInt32.self))
    }
}
