// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// What both sealed parts of a row are bound to (Documentation/Format.md, "Associated data").
///
/// A part or a tag that is taken from another row, or from another version of this one, does not open. A whole row that
/// is put back in time does.
struct AssociatedData {
    static let formatVersion: UInt8 = 1

    private var bytes: [UInt8]

    /// The parts of a row; the label keeps one from standing in for the other.
    enum Part: UInt8 {
        case metadata = 0x4D
        case secret = 0x53
    }

    init(_ row: StoredRow) {
        bytes = []
        bytes.reserveCapacity(96 + row.tags.count * 20)
        bytes += [0, Self.formatVersion]
        bytes += row.itemClass.rawValue.utf8
        row.identifier.withUnsafeBytes { bytes.append(contentsOf: $0) }
        bytes.append(UInt8(truncatingIfNeeded: row.protection.utf8.count))
        bytes += row.protection.utf8
        bytes.append(littleEndian: row.keyGeneration)
        row.version.withUnsafeBytes { bytes.append(contentsOf: $0) }
        row.primaryKeyTag.withUnsafeBytes { bytes.append(contentsOf: $0) }
        bytes.append(littleEndian: UInt16(truncatingIfNeeded: row.tags.count))
        for tag in row.tags {
            bytes.append(littleEndian: tag.name.code.bigEndian)
            tag.tag.withUnsafeBytes { bytes.append(contentsOf: $0) }
        }
    }

    /// The bytes for one part; `header` is what lies in front of a secret that depends on a password.
    mutating func labelled(_ part: Part, _ header: PasswordHeader? = nil) -> [UInt8] {
        bytes[0] = part.rawValue
        return bytes + (header?.encoded ?? [])
    }
}
