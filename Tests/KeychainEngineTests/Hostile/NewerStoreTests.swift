// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainEngine
import KeychainTestSupport
import Testing

struct NewerStoreTests {
    @Test("a store that a newer version migrates is not touched any more by a process that has it open")
    func stopsAtTheNextCall() throws {
        let keychain = try TemporaryKeychain()
        let client = Client(accessGroups: ["group"])
        let add = KeychainRequest(.add(["class": .string("genp")]), client: client)
        _ = try keychain.perform(add)
        try RawStore(path: keychain.folder.path(of: "keychain/keychain.db")).execute("PRAGMA user_version = \(0x0400)")
        let requests = [
            add, KeychainRequest(.copyMatching(["class": .string("genp")]), client: client),
            KeychainRequest(.delete(["class": .string("genp")]), client: client),
        ]
        for request in requests {
            #expect { try keychain.perform(request) } throws: {
                let error = $0 as? KeychainError
                return error?.status == .notAvailable && error?.reason.contains("newer version") ?? false
            }
        }
    }
}
