// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The access groups of a client, from its entitlements or from a list.
enum GroupsFile {
    /// Reads a property list of entitlements, a JSON array of groups, or a JSON object with `groups`.
    static func groups(_ bytes: Data) throws(BadInput) -> [String] {
        if let value = try? PropertyListSerialization.propertyList(from: bytes, format: nil) {
            if let list = value as? [String] { return list }
            if let entitlements = value as? [String: Any] { return groups(of: entitlements) }
        }
        if let list = try? JSONDecoder().decode([String].self, from: bytes) { return list }
        if let object = try? JSONDecoder().decode(Client.self, from: bytes) { return object.groups }
        throw BadInput("the client is neither a property list of entitlements nor a JSON list of groups")
    }

    private struct Client: Decodable { var groups: [String] }

    /// The groups in the order in which a client has them (Semantics, "Access groups").
    private static func groups(of entitlements: [String: Any]) -> [String] {
        func list(_ key: String) -> [String] {
            (entitlements[key] as? [String]) ?? (entitlements[key] as? String).map { [$0] } ?? []
        }
        let names = [
            "keychain-access-groups", "com.apple.developer.associated-application-identifier", "application-identifier",
            "com.apple.application-identifier", "com.apple.security.application-groups",
        ]
        var groups: [String] = []
        for group in names.flatMap(list) where !groups.contains(group) { groups.append(group) }
        return groups
    }
}
