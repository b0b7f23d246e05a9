// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainEngine
import KeychainTestSupport
import Testing

struct RecoveryTests {
    private let client = Client(accessGroups: ["group"])
    private let item: PropertyDictionary = [
        "class": .string("genp"), "acct": .string("ada"), "v_Data": .data(SecretBytes([1, 2, 3])),
    ]
    private let query: PropertyDictionary = [
        "class": .string("genp"), "acct": .string("ada"), "r_Data": .boolean(true),
    ]

    @Test("an item in quarantine that opens again comes back by recover, and not before")
    func comesBack() throws {
        let keychain = try makeKeychainWithQuarantine()
        #expect { try read(keychain) } throws: { ($0 as? KeychainError)?.status == .decode }
        #expect(try keychain.keychain.check().damagedRows.map(\.isQuarantined) == [true])
        #expect(try keychain.keychain.recover() == 1)
        #expect(try read(keychain) == .single(.data(SecretBytes([1, 2, 3]))))
        #expect(try keychain.keychain.check().isSound)
    }

    @Test("an item in quarantine whose primary key was taken stays there, and the new one stays too")
    func yieldsToItsSuccessor() throws {
        let keychain = try makeKeychainWithQuarantine()
        var successor = item
        successor["v_Data"] = .data(SecretBytes([9]))
        _ = try keychain.perform(KeychainRequest(.add(successor), client: client))
        #expect(try keychain.keychain.recover() == 0)
        #expect(try read(keychain) == .single(.data(SecretBytes([9]))))
        #expect(try keychain.keychain.check().damagedRows.count == 1)
    }

    /// An intact row that something else marked as damaged.
    private func makeKeychainWithQuarantine() throws -> TemporaryKeychain {
        let keychain = try TemporaryKeychain()
        _ = try keychain.perform(KeychainRequest(.add(item), client: client))
        try RawStore(path: keychain.folder.path(of: "keychain/keychain.db")).execute("UPDATE items_genp SET damage = 1")
        return keychain
    }

    private func read(_ keychain: TemporaryKeychain) throws -> KeychainAnswer {
        try keychain.perform(KeychainRequest(.copyMatching(query), client: client))
    }
}
