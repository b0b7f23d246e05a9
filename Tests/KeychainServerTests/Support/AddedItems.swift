// SPDX-License-Identifier: Apache-2.0

import KeychainClient
import KeychainCore

extension Client {
    static func of(_ group: String) -> Client { Client(accessGroups: [group]) }
}

extension DaemonKeychain {
    func add(_ account: String, in group: String) throws(KeychainError) {
        let item: PropertyDictionary = ["class": .string("genp"), "acct": .string(account), "agrp": .string(group)]
        _ = try perform(KeychainRequest(.add(item), client: .of(group)))
    }
}
