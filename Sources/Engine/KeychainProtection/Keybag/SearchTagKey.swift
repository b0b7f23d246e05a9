// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// The key of search tags, derived from an index key.
struct SearchTagKey: Sendable {
    let key: LockedKey

    init(_ indexKey: LockedKey, of storeIdentifier: Bytes16) throws(ProtectionError) {
        let memory = try LockedMemory(keyCapacity: 1)
        key = try memory.store(KeyDerivation.derive("search tags", from: indexKey, context: storeIdentifier.bytes))
    }
}
