// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// The associated data of both sealed parts of a row (Documentation/Format.md, "Associated data").
///
/// A part or a tag that is copied from another store, another row, or another version of this one does not open. A
/// whole row that is restored to an earlier version does.
struct AssociatedData: Sendable {
    /// Those of either part, with room for the label.
    private var bytes: [UInt8]

    /// The part of a row; the label prevents one from being substituted for another.
    enum Part: UInt8 {
        case metadata = 0x4D
        case secret = 0x53
        /// All of it, in the code of a backup.
        case row = 0x52
    }

    /// The data that the parts of a row have in common, assembled once for both.
    init(_ row: StoredRow, of storeIdentifier: Bytes16) {
        bytes = []
        bytes.reserveCapacity(112 + row.tags.count * 20)
        bytes.append(0)
        bytes.append(row.format)
        storeIdentifier.withUnsafeBytes { bytes.append(contentsOf: $0) }
        bytes += row.itemClass.rawValue.utf8
        row.identifier.withUnsafeBytes { bytes.append(contentsOf: $0) }
        bytes.append(UInt8(truncatingIfNeeded: row.protection.utf8.count))
        bytes += row.protection.utf8
        bytes.append(littleEndian: row.keyGeneration)
        row.version.withUnsafeBytes { bytes.append(contentsOf: $0) }
        row.primaryKeyTag.withUnsafeBytes { bytes.append(contentsOf: $0) }
        bytes.append(littleEndian: UInt16(truncatingIfNeeded: row.tags.count))
        append(row.tags)
    }

    /// A name of four bytes, the first letter first, and sixteen bytes for each.
    private mutating func append(_ tags: [AttributeTag]) {
        let tagBytes = [UInt8](unsafeUninitializedCapacity: tags.count * 20) { buffer, count in
            let buffer = UnsafeMutableRawBufferPointer(buffer)
            for tag in tags {
                buffer.storeBytes(of: tag.name.code.bigEndian, toByteOffset: count, as: UInt32.self)
                buffer.storeBytes(of: tag.tag, toByteOffset: count + 4, as: Bytes16.self)
                count += 20
            }
        }
        bytes += tagBytes
    }

    /// The bytes for a part.
    func encoded(_ part: Part) -> [UInt8] {
        var bytes = bytes
        bytes[0] = part.rawValue
        return bytes
    }
}
