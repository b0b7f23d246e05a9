// SPDX-License-Identifier: Apache-2.0

import Crypto
import KeychainCore

/// Seals and opens the `metadata` column of one row (Documentation/Format.md, "Metadata").
struct RowMetadata {
    private let part: RowPart

    /// The metadata of a row under the keys of its store or backup.
    init(_ row: StoredRow, _ keys: some RowKeys) throws(ProtectionError) {
        part = try RowPart(.metadata, of: row, keys: keys)
    }

    /// The associated data of both parts of the row.
    var associatedData: AssociatedData { part.associatedData }

    func seal(_ metadata: MetadataCodec.Metadata, _ nonce: AES.GCM.Nonce? = nil) throws(ProtectionError) -> [UInt8] {
        var plain = MetadataCodec.encode(metadata)
        defer { plain.wipe() }
        guard plain.count <= ItemLimits.metadataByteCount else { throw .tooLarge }
        return try plain.withUnsafeBufferPointer { (plain) throws(ProtectionError) in
            try part.seal(UnsafeRawBufferPointer(plain), nonce)
        }
    }

    /// The attributes, once the clear columns that the associated data leaves out agree with them.
    func open() throws(ProtectionError) -> MetadataCodec.Metadata {
        let metadata = try part.open { (plain) throws(ProtectionError) in
            try MetadataCodec.decode(plain, part.row.format)
        }
        guard metadata.attributes[.accessible] == .string(part.row.protection),
            metadata.attributes[.tombstone] == .number(.integer(part.row.isTombstone ? 1 : 0))
        else { throw .damagedRow(.contradiction) }
        return metadata
    }
}
