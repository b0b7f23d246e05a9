// SPDX-License-Identifier: Apache-2.0

import Crypto
import KeychainCore

/// The digest of all rows of a store that is moved: SHA-256 (FIPS 180-4) over them, in the order of their places.
///
/// Each value has a fixed size, or is preceded by its length or count in eight bytes; integers are big-endian.
package struct RowDigest {
    /// The number of bytes of a digest: 32.
    package static let byteCount = SHA256.byteCount

    private var hash = SHA256()

    /// The digest of no row.
    package init() {}

    /// Adds the next row.
    package mutating func add(_ moved: MovedRow) {
        let row = moved.row
        add(Array(row.itemClass.rawValue.utf8))
        add(moved.number)
        add(Int64(moved.damage ?? -1))
        add(moved.damage == nil ? 0 : 1)
        for tag in [row.identifier, row.version, row.primaryKeyTag] { add(tag.bytes) }
        add(Array(row.protection.utf8))
        add(row.isTombstone ? 1 : 0)
        add(Int64(row.keyGeneration))
        add(Int64(row.tags.count))
        for tag in row.tags {
            add(Int64(tag.name.code))
            add(tag.tag.bytes)
        }
        add(row.former == nil ? 0 : 1)
        add(row.former ?? [])
        add(row.metadata)
        add(row.secret)
    }

    /// The digest: 32 bytes.
    package func finish() -> [UInt8] { Array(hash.finalize()) }

    private mutating func add(_ number: Int64) {
        withUnsafeBytes(of: number.bigEndian) { hash.update(bufferPointer: $0) }
    }

    private mutating func add(_ bytes: [UInt8]) {
        add(Int64(bytes.count))
        bytes.withUnsafeBytes { hash.update(bufferPointer: $0) }
    }
}
