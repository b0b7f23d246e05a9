// SPDX-License-Identifier: Apache-2.0

import LocalAuthentication

/// A note that is read with an authentication context; the file imports only LocalAuthentication.
public final class GuardedNote {
    private let context = LAContext()
    private let service: String

    /// The note of a service.
    public init(service: String) {
        self.service = service
        context.interactionNotAllowed = true
    }

    /// Keeps a text.
    public func save(_ text: String) -> OSStatus {
        var attributes = query
        attributes[kSecValueData] = Data(text.utf8)
        return SecItemAdd(attributes as CFDictionary, nil)
    }

    /// The kept text.
    public func load() -> String? {
        var query = query
        query[kSecReturnData] = true
        query[kSecUseAuthenticationContext] = context
        var result: CFTypeRef?
        guard SecItemCopyMatching(query as CFDictionary, &result) == errSecSuccess else { return nil }
        return (result as? Data).map { String(decoding: $0, as: UTF8.self) }
    }

    /// Deletes it.
    public func delete() -> OSStatus { SecItemDelete(query as CFDictionary) }

    private var query: [CFString: Any] { [kSecClass: kSecClassGenericPassword, kSecAttrService: service] }
}

/// Why the owner of the device cannot be asked, if so.
public func obstacleToAuthentication() -> LAError? {
    var error: NSError?
    let possible = LAContext().canEvaluatePolicy(.deviceOwnerAuthentication, error: &error)
    return possible ? nil : error as? LAError
}
