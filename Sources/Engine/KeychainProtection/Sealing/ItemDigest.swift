// SPDX-License-Identifier: Apache-2.0

import Crypto
import KeychainCore

/// The keyed digest of an item, from the tag of its primary key and its secret (Documentation/Format.md, "Metadata").
///
/// It is HMAC-SHA-256 (RFC 2104), truncated to 20 bytes, under a key of the item's protection class: the metadata key
/// alone does not permit guessing the secret from it. It is not stored in any column.
enum ItemDigest {
    static func make(
        _ primaryKeyTag: SearchTag,
        secret: SecretBytes?,
        under classKey: KeyDerivation,
        of storeIdentifier: Bytes16
    ) -> [UInt8] {
        let key = classKey.derive("digests") { context in
            storeIdentifier.withUnsafeBytes { context.append(contentsOf: $0) }
        }
        var hash = KeyedHash(key)
        primaryKeyTag.withUnsafeBytes { hash.update($0) }
        secret?.withUnsafeBytes { hash.update($0) }
        return Array(hash.finalize().prefix(20))
    }
}

/// The search tag of the digest to which a row of format 2 is bound, and which is no longer in its columns
/// (Documentation/Format.md, "Rows of format 2").
///
/// Unencrypted, it would continue to reveal when a secret changed. It is sealed under the index key, which is available
/// in every lock state, for this version of this row alone.
enum FormerDigest {
    static func seal(_ tag: SearchTag, in row: StoredRow, under keys: some RowKeys) throws(ProtectionError) -> [UInt8] {
        let key = try key(row, keys)
        return try tag.bytes.withUnsafeBufferPointer { (bytes) throws(ProtectionError) in
            try GCM.seal(UnsafeRawBufferPointer(bytes), under: key, associatedData: [])
        }
    }

    /// - Throws: ``ProtectionError/damagedRow(_:)``, as for a tag that was altered in its column.
    static func open(
        _ sealed: [UInt8],
        in row: StoredRow,
        under keys: some RowKeys
    ) throws(ProtectionError) -> SearchTag {
        let key = try key(row, keys)
        let opened = try GCM.open(sealed[...], under: key, associatedData: []) { (bytes) throws(ProtectionError) in
            SearchTag(bytes)
        }
        guard let tag = opened ?? nil else { throw .damagedRow(.metadata) }
        return tag
    }

    private static func key(_ row: StoredRow, _ keys: some RowKeys) throws(ProtectionError) -> SymmetricKey {
        let storeIdentifier = keys.storeIdentifier
        return KeyDerivation.derive("former digest", from: try keys.key(.index)) { context in
            row.appendVersion(of: storeIdentifier, to: &context)
        }
    }
}

extension StoredRow {
    /// The format that its parts were sealed by.
    var format: UInt8 { former == nil ? FileFormat.number : FileFormat.formerNumber }

    /// Appends the values that identify one version of one row.
    func appendVersion(of storeIdentifier: Bytes16, to context: inout [UInt8]) {
        storeIdentifier.withUnsafeBytes { context.append(contentsOf: $0) }
        context += itemClass.rawValue.utf8
        identifier.withUnsafeBytes { context.append(contentsOf: $0) }
        version.withUnsafeBytes { context.append(contentsOf: $0) }
    }
}

extension RowKeys {
    /// The row with all tags that it is bound to.
    func revealed(_ row: StoredRow) throws(ProtectionError) -> StoredRow {
        guard let former = row.former, !former.isEmpty else { return row }
        var revealed = row
        revealed.former = []
        let tag = AttributeTag(name: .digest, tag: try FormerDigest.open(former, in: row, under: self))
        revealed.tags.insert(tag, at: row.tags.firstIndex { $0.name > .digest } ?? row.tags.endIndex)
        return revealed
    }

    /// The row without a tag of its digest in the clear.
    func concealed(_ row: StoredRow) throws(ProtectionError) -> StoredRow {
        var concealed = row
        guard row.former == [], let index = row.tags.firstIndex(where: { $0.name == .digest }) else { return row }
        concealed.former = try FormerDigest.seal(concealed.tags.remove(at: index).tag, in: row, under: self)
        return concealed
    }
}
