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
