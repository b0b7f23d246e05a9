// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// What is derived from an index key: a key for search tags, and one for digests.
struct IndexKeys: Sendable {
    let tagKey: LockedKey
    let digestKey: LockedKey

    init(_ indexKey: LockedKey, of storeIdentifier: Bytes16) throws(ProtectionError) {
        let memory = try LockedMemory(keyCapacity: 2)
        (tagKey, digestKey) = try indexKey.withKey { key throws(ProtectionError) in
            try Residue.contain { () throws(ProtectionError) in
                let derivation = KeyDerivation.Several(from: key)
                let context = storeIdentifier.bytes
                let tagKey = try memory.store(derivation.derive("search tags", context: context))
                return (tagKey, try memory.store(derivation.derive("digests", context: context)))
            }
        }
    }
}
