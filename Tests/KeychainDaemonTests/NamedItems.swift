// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// Items of one client that are known by their accounts.
enum NamedItems {
    private static let client = Client(accessGroups: ["example"])

    static func add(_ account: String, to keychain: any KeychainBackend) throws {
        let item: PropertyDictionary = [
            "class": .string("genp"), "acct": .string(account), "svce": .string("service"),
            PropertyKey.valueData: .data(SecretBytes([1])),
        ]
        _ = try keychain.perform(KeychainRequest(.add(item), client: client))
    }

    static func accounts(_ keychain: any KeychainBackend) throws -> Set<String> {
        let query: PropertyDictionary = [
            "class": .string("genp"), PropertyKey.matchLimit: .string(PropertyKey.matchLimitAll),
            PropertyKey.returnAttributes: .boolean(true),
        ]
        let values = try keychain.perform(KeychainRequest(.copyMatching(query), client: client)).values
        return Set(
            values.compactMap { value in
                guard case .dictionary(let entries) = value, case .string(let account)? = entries["acct"] else {
                    return nil
                }
                return account
            }
        )
    }
}
