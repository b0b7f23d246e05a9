// SPDX-License-Identifier: Apache-2.0

import CSQLite
import Foundation
import KeychainCore
import KeychainEngine
import KeychainHost
import KeychainTestSupport
import Testing

/// A row with a value of 60 MB in it, which no store writes: set aside like any damage, without taking it into memory.
struct LargeRowTests {
    private static let value = "zeroblob(60000000)"

    /// The most memory that SQLite may have at a time: its page cache takes 2 MB, and so may another connection's.
    private static let maximumBytes = 12 << 20

    private static func store(_ change: String) throws -> TestStore {
        let store = try TestStore()
        let keychain = store.open()
        for account in ["anna", "bert", "carl"] {
            #expect(keychain.add(account, "secret of \(account)") == .done)
        }
        try store.raw().run("UPDATE items_genp SET \(change) WHERE id = 2")
        try store.checkpoint()
        sqlite3_memory_highwater(1)
        return store
    }

    private static var memory: Int { Int(sqlite3_memory_highwater(0)) }

    @Test(
        "the others stay readable, a check names it, a delete removes it, and it takes no memory",
        arguments: ["secret", "metadata"]
    )
    func largePart(_ column: String) async {
        await #expect(processExitsWith: .success) { [column = column as String] in
            let store = try Self.store("\(column) = \(Self.value)")
            let keychain = store.open()
            #expect(keychain.secret("carl") == .secret("secret of carl"))
            let found = try keychain.check()
            #expect(found.intactRows == 2 && found.structuralDefects.isEmpty)
            #expect(found.damagedRows.map(\.damage) == ["oversized"])
            #expect(found.damagedRows.map(\.isQuarantined) == [false])
            #expect(keychain.everything() == .failed(.decode))
            #expect(keychain.everything() == .accounts(["anna", "carl"]))
            #expect(keychain.secret("bert") == .failed(.decode))
            let quarantined = try keychain.check()
            #expect(quarantined.damagedRows.map(\.damage) == ["oversized"])
            #expect(quarantined.damagedRows.map(\.isQuarantined) == [true])
            #expect(quarantined.damagedRows.map(\.persistentReference) == found.damagedRows.map(\.persistentReference))
            #expect(try keychain.recover() == 0)
            #expect(keychain.add("bert", "new") == .done)
            #expect(keychain.secret("bert") == .secret("new"))
            let reference = quarantined.damagedRows.map { SecretBytes($0.persistentReference) }
            let query: PropertyDictionary = ["v_PersistentRef": .data(try #require(reference.first))]
            #expect(keychain.answer(.delete(query)) { _ in .done } == .done)
            #expect(try keychain.check().isSound)
            #expect(Self.memory < Self.maximumBytes, "\(Self.memory)")
        }
    }

    @Test("it is deleted without being met before, with all others if need be", arguments: ["secret", "metadata"])
    func delete(_ column: String) async {
        await #expect(processExitsWith: .success) { [column = column as String] in
            let store = try Self.store("\(column) = \(Self.value)")
            #expect(store.open().delete("bert") == .done)
            #expect(store.open().everything() == .accounts(["anna", "carl"]))
            #expect(Self.memory < Self.maximumBytes, "\(Self.memory)")
            try store.raw().run("UPDATE items_genp SET \(column) = \(Self.value)")
            let keychain = store.open()
            #expect(keychain.answer(.delete(["class": .string("genp")])) { _ in .done } == .done)
            #expect(keychain.everything() == .failed(.itemNotFound))
        }
    }

    @Test("an item can be added beside it that has its primary key", arguments: ["secret", "metadata"])
    func addBeside(_ column: String) async {
        await #expect(processExitsWith: .success) { [column = column as String] in
            let store = try Self.store("\(column) = \(Self.value)")
            let keychain = store.open()
            #expect(keychain.update("bert", "changed") == .failed(.decode))
            #expect(keychain.add("bert", "new") == .done)
            #expect(keychain.add("bert", "newer") == .failed(.duplicateItem))
            #expect(keychain.secret("bert") == .secret("new"))
            #expect(try keychain.check().damagedRows.map(\.damage) == ["oversized"])
            #expect(Self.memory < Self.maximumBytes, "\(Self.memory)")
        }
    }

    @Test("a backup holds the others, and counts it", arguments: ["secret", "metadata"])
    func backup(_ column: String) async {
        await #expect(processExitsWith: .success) { [column = column as String] in
            let store = try Self.store("\(column) = \(Self.value)")
            let path = store.folder.path(of: "backup")
            let report = try store.open().createBackup(at: path, secret: SecretBytes(Array("secret".utf8)))
            #expect(report.items == 2 && report.damaged == 1)
        }
    }

    @Test(
        "in any other column the others stay readable as well",
        arguments: [
            "uuid = \(value)", "version = \(value)", "pk = \(value)", "t_labl = \(value)", "generation = \(value)",
            "protection = \(value)", "secret = CAST(\(value) AS TEXT)", "metadata = CAST(\(value) AS TEXT)",
        ]
    )
    func otherColumn(_ change: String) async {
        await #expect(processExitsWith: .success) { [change = change as String] in
            let store = try Self.store(change)
            let keychain = store.open()
            #expect(keychain.everything() == .failed(.decode))
            #expect(keychain.everything() == .accounts(["anna", "carl"]))
            #expect(try keychain.check().damagedRows.count == 1)
            #expect(keychain.answer(.delete(["class": .string("genp")])) { _ in .done } == .done)
            #expect(try store.open().check().isSound)
            #expect(keychain.everything() == .failed(.itemNotFound))
        }
    }

    @Test("a keybag of 60 MB is a typed error, and takes no memory")
    func keybag() async {
        await #expect(processExitsWith: .success) {
            let store = try TestStore()
            #expect(store.open().add("anna", "secret") == .done)
            try store.raw().run("UPDATE keybag SET bytes = \(Self.value)")
            sqlite3_memory_highwater(1)
            let failure = try #require(store.open().failure())
            #expect(failure.status == .notAvailable)
            #expect(failure.reason.contains("backup"))
            #expect(Self.memory < Self.maximumBytes, "\(Self.memory)")
        }
    }
}
