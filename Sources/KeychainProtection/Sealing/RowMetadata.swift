// SPDX-License-Identifier: Apache-2.0

import Crypto
import KeychainCore

/// Seals and opens the `metadata` column of one row (Documentation/Format.md, "Metadata").
struct RowMetadata {
    private let row: StoredRow
    private let key: LockedKey
    private let associatedData: [UInt8]

    /// A row, and the metadata key of its protection class.
    init(_ row: StoredRow, _ key: LockedKey) {
        self.row = row
        self.key = key
        var associatedData = AssociatedData(row)
        self.associatedData = associatedData.labelled(.metadata)
    }

    func seal(_ item: SealableItem) throws(ProtectionError) -> [UInt8] {
        var plain = MetadataCodec.encode(.init(attributes: item.attributes, hasSecret: item.secret != nil))
        defer { plain.wipe() }
        guard plain.count <= ItemLimits.metadataByteCount else { throw .tooLarge }
        let bytes = SecretBytes(plain)
        return try key.withKey { key throws(ProtectionError) in
            try bytes.withUnsafeBytes { plain throws(ProtectionError) in
                try GCM.seal(plain, under: key, associatedData: associatedData)
            }
        }
    }

    func open() throws(ProtectionError) -> MetadataCodec.Metadata {
        let plain = key.withKey { key in
            GCM.open(row.metadata[...], under: key, associatedData: associatedData) { Array($0) }
        }
        guard var plain else { throw .damagedRow(.metadata) }
        defer { plain.wipe() }
        return try MetadataCodec.decode(plain)
    }
}
