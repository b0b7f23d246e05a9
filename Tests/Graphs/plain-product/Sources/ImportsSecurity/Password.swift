// SPDX-License-Identifier: Apache-2.0

import Security

/// A password of a service, written against the C functions.
public struct Password {
    private let identity: [CFString: Any]

    /// The password of an account.
    public init(service: String, account: String) {
        identity = [kSecClass: kSecClassGenericPassword, kSecAttrService: service, kSecAttrAccount: account]
    }

    /// Adds it.
    public func add(_ secret: Data) -> OSStatus {
        let attributes = identity.merging([kSecValueData: secret]) { $1 }
        return SecItemAdd(attributes as CFDictionary, nil)
    }

    /// Reads it, or says why not.
    public func read() -> (OSStatus, Data?) {
        var result: CFTypeRef?
        let query = identity.merging([kSecReturnData: true]) { $1 }
        let status = SecItemCopyMatching(query as CFDictionary, &result)
        return (status, result as? Data)
    }

    /// Deletes it.
    public func delete() -> OSStatus { SecItemDelete(identity as CFDictionary) }
}

#if os(Linux) && canImport(CommonCrypto)
#error("a target that does not depend on CommonCrypto must not see it")
#endif
