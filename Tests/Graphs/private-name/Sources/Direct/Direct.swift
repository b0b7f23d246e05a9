// SPDX-License-Identifier: Apache-2.0

import PortableSecurity

/// Adds an item under an access control that was made elsewhere, and reads and deletes it.
public func roundTrip(service: String, under accessControl: SecAccessControl) -> [OSStatus] {
    let identity: [CFString: Any] = [kSecClass: kSecClassGenericPassword, kSecAttrService: service]
    let added = identity.merging([kSecAttrAccessControl: accessControl, kSecValueData: Data("x".utf8)]) { $1 }
    return [
        SecItemAdd(added as CFDictionary, nil),
        SecItemCopyMatching(identity as CFDictionary, nil),
        SecItemDelete(identity as CFDictionary),
        SecItemDelete(identity as CFDictionary),
    ]
}

/// Takes a key that was made elsewhere, if there is one.
public func blockSize(of key: SecKey?) -> Int? { key.map(SecKeyGetBlockSize) }
