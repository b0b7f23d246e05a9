// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A session that is kept between runs, in a file that imports only Foundation.
public struct Session: Codable, Equatable {
    /// Whose session it is.
    public let user: String

    /// When it ends.
    public let expiry: Date

    /// A session.
    public init(user: String, expiry: Date) {
        self.user = user
        self.expiry = expiry
    }

    /// Keeps it.
    public func save(service: String) throws {
        var attributes = Session.query(service: service)
        attributes[kSecValueData as String] = try JSONEncoder().encode(self)
        let status = SecItemAdd(attributes as CFDictionary, nil)
        guard status == errSecSuccess else { throw NSError(domain: NSOSStatusErrorDomain, code: Int(status)) }
    }

    /// The kept one, if there is one.
    public static func load(service: String) throws -> Session? {
        var query = query(service: service)
        query[kSecReturnData as String] = true
        var result: AnyObject?
        let status = SecItemCopyMatching(query as CFDictionary, &result)
        if status == errSecItemNotFound { return nil }
        guard status == errSecSuccess, let data = result as? Data else {
            throw NSError(domain: NSOSStatusErrorDomain, code: Int(status))
        }
        return try JSONDecoder().decode(Session.self, from: data)
    }

    /// Forgets it.
    public static func forget(service: String) { SecItemDelete(query(service: service) as CFDictionary) }

    private static func query(service: String) -> [String: Any] {
        [kSecClass as String: kSecClassGenericPassword, kSecAttrService as String: service]
    }
}
