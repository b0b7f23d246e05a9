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

    @Test("a store of a later revision that lets this one in is used while it is open and afterwards, and is sound")
    func laterRevision() throws {
        let store = try TestStore()
        let keychain = store.open()
        #expect(keychain.add("anna", "secret") == .done)
        try store.raw().execute(
            "ALTER TABLE items_genp ADD COLUMN t_news BLOB; PRAGMA user_version = \(0x0309)"
        )
        #expect(keychain.secret("anna") == .secret("secret"))
        #expect(keychain.add("bert", "secret") == .done)
        #expect(try keychain.check().isSound)
        #expect(store.open().update("anna", "changed") == .done)
        #expect(try store.raw().integer("PRAGMA user_version") == 0x0309)
    }

    @Test("one that lets this revision only read is read, and a change names both versions")
    func onlyReader() throws {
        let store = try TestStore()
        let keychain = store.open()
        #expect(keychain.add("anna", "secret") == .done)
        try store.raw().execute("PRAGMA user_version = \(0x0005_0309)")
        #expect(keychain.secret("anna") == .secret("secret"))
        #expect(keychain.add("bert", "secret") == .failed(.notAvailable))
        #expect(store.open().secret("anna") == .secret("secret"))
        #expect(store.open().delete("anna") == .failed(.notAvailable))
        let add = KeychainRequest(.add(["class": .string("genp")]), client: TestStore.client)
        let failure = #expect(throws: KeychainError.self) { try keychain.perform(add) }
        #expect(failure?.reason.contains("3.9") ?? false)
        #expect(failure?.reason.contains("this program, which has format 3.3") ?? false)
    }
}
