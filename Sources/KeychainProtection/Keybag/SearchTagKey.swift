// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// What is derived from an index key: the key of search tags.
struct IndexKeys: Sendable {
    let tagKey: LockedKey

    init(_ indexKey: LockedKey, of storeIdentifier: Bytes16) throws(ProtectionError) {
        let memory = try LockedMemory(keyCapacity: 1)
        tagKey = try indexKey.withKey { key throws(ProtectionError) in
            try memory.store(KeyDerivation.derive("search tags", from: key, context: storeIdentifier.bytes))
        }
    }
}
