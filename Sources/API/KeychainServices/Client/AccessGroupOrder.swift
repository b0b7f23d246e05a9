// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// The order of a client's groups (Semantics, "Access groups"): an add stores in the first.
package enum AccessGroupOrder {
    /// The groups that entitlements name, each once.
    ///
    /// - Parameter values: returns the groups of an entitlement, by its key, and whether it is a list.
    /// - Returns: The groups in order.
    /// - Throws: The errors of `values`.
    package static func groups<Failure: Error>(
        _ values: (_ key: String, _ isList: Bool) throws(Failure) -> [String]
    ) throws(Failure) -> [String] {
        var groups: [String] = []
        // Compared by their bytes: two names that only look the same are two groups.
        var seen: Set<[UInt8]> = []
        for (key, isList) in keys {
            for group in try values(key, isList) where seen.insert(Array(group.utf8)).inserted { groups.append(group) }
        }
        // The group of hardware tokens is never a default.
        let token = PropertyKey.accessGroupToken
        return groups.filter { $0 != token } + groups.filter { $0 == token }
    }

    /// The entitlements that name groups, in the order in which they count, and whether each is a list.
    private static let keys: [(String, isList: Bool)] = [
        ("keychain-access-groups", true),
        ("com.apple.developer.associated-application-identifier", true),
        ("application-identifier", false),
        ("com.apple.application-identifier", false),
        ("com.apple.security.application-groups", true),
    ]
}
