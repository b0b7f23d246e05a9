// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainCore
import KeychainEngine
import KeychainTestSupport
import Testing

/// What lies in the clear and in SQLite's own structures is not believed.
struct ClearColumnTests {
    private static let synchronizable: [String: PropertyValue] = ["sync": .boolean(true)]

    @Test("a tombstone that is passed off as an item is errSecDecode")
    func clearedTombstone() throws {
        let store = try TestStore()
        let keychain = store.open()
        #expect(keychain.add("anna", "secret", with: Self.synchronizable) == .done)
        #expect(keychain.delete("anna", Self.synchronizable) == .done)
        #expect(keychain.find("anna", Self.synchronizable) == .failed(.itemNotFound))
        try store.raw().run("UPDATE items_genp SET tombstone = 0")
        #expect(keychain.find("anna", Self.synchronizable) == .failed(.decode))
        #expect(keychain.add("anna", "again", with: Self.synchronizable) == .done)
        #expect(keychain.secret("anna", Self.synchronizable) == .secret("again"))
    }

    @Test("an item that is passed off as a tombstone is not found, and named by a check")
    func setTombstone() throws {
        let store = try TestStore()
        let keychain = store.open()
        #expect(keychain.add("anna", "secret") == .done)
        try store.raw().run("UPDATE items_genp SET tombstone = 1")
        #expect(keychain.secret("anna") == .failed(.itemNotFound))
        #expect(try keychain.check().damagedRows.count == 1)
        // It is no tombstone that an add may replace: it is set aside.
        #expect(keychain.add("anna", "new") == .done)
        #expect(try store.raw().integer("SELECT count(*) FROM items_genp") == 2)
    }

    @Test("an intact row that is passed off as damaged is errSecDecode, and stays")
    func setDamage() throws {
        let store = try TestStore()
        let keychain = store.open()
        #expect(keychain.add("anna", "secret") == .done)
        for damage in ["1", "5", "99", "-1", "'text'", "1.5", "x'00'"] {
            try store.raw().run("UPDATE items_genp SET damage = \(damage)")
            #expect(keychain.secret("anna") == .failed(.decode), "\(damage)")
            #expect(keychain.everything() == .failed(.decode), "\(damage)")
        }
        try store.raw().run("UPDATE items_genp SET damage = NULL")
        #expect(keychain.secret("anna") == .secret("secret"))
    }

    /// An index is not sealed, so that an entry may name any row, and a damaged one does.
    @Test("an index entry that leads to another row never gives that row's secret", arguments: 0..<5)
    func wrongIndexEntry(_ number: Int) throws {
        let store = try TestStore()
        let keychain = store.open()
        for name in ["anna", "bert", "carl"] {
            let more: [String: PropertyValue] = [
                "svce": .string("service of \(name)"), "labl": .string("label of \(name)"),
            ]
            #expect(keychain.add(name, "secret of \(name)", with: more) == .done)
        }
        let record = try Self.indexRecord(number, of: try store.raw())
        let reference = Array("genp".utf8) + (try store.raw().run("SELECT uuid FROM items_genp WHERE id = 2")[0] ?? [])
        try store.checkpoint()
        var file = Data(try store.bytes(of: "keychain.db"))
        let entry = try #require(file.range(of: Data(record + [2])), "the index has no such entry")
        file[entry.upperBound - 1] = 3
        let damaged = try TestStore.of(["keychain.db": Array(file), "root.key": try store.bytes(of: "root.key")])

        let queries: [PropertyDictionary] = [
            ["acct": .string("bert"), "svce": .string("service of bert")],
            ["acct": .string("bert")], ["svce": .string("service of bert")], ["labl": .string("label of bert")],
            ["v_PersistentRef": .data(SecretBytes(reference))],
        ]
        for query in queries {
            var query = query
            query["class"] = .string("genp")
            query["r_Data"] = .boolean(true)
            let answer = damaged.open().answer(.copyMatching(query)) { answer in
                guard case .single(.data(let bytes)) = answer else { return .done }
                return .secret(String(decoding: bytes.unprotectedCopy, as: UTF8.self))
            }
            if case .secret(let secret) = answer {
                #expect(secret == "secret of bert", "\(query.entries.keys.sorted())")
            }
            query["r_Data"] = nil
            let updated = damaged.open().answer(.update(query, attributes: ["icmt": .string("changed")])) { _ in .done }
            #expect(updated != .failed(.internalComponent))
        }
        let changed: PropertyDictionary = [
            "class": .string("genp"), "icmt": .string("changed"), "m_Limit": .string("m_LimitAll"),
            "r_Attributes": .boolean(true),
        ]
        let wrongly = damaged.open().answer(.copyMatching(changed)) { .accounts($0.accounts) }
        #expect([.accounts(["bert"]), .failed(.itemNotFound), .failed(.notAvailable)].contains(wrongly))
        #expect(try damaged.open().check().isSound == false)
    }

    /// The entry of row 2 in an index, up to the row number.
    ///
    /// A record: the length of its header, the types of its columns, which are blobs or NULL, and of a number of one
    /// byte.
    private static func indexRecord(_ number: Int, of raw: RawStore) throws -> [UInt8] {
        // That of rows of the format before has no entry here.
        let list = "SELECT name FROM pragma_index_list('items_genp') WHERE name <> 'items_genp_former' ORDER BY name"
        let names = try raw.run(list).compactMap(\.self)
        try #require(names.count == 5, "let the arguments of the test be as many as there are indexes")
        let name = String(decoding: names[number], as: UTF8.self)
        let columns = try raw.run("SELECT name FROM pragma_index_info('\(name)') ORDER BY seqno").compactMap(\.self)
        let selected = columns.map { String(decoding: $0, as: UTF8.self) }.joined(separator: ", ")
        let values = try raw.run("SELECT \(selected) FROM items_genp WHERE id = 2")
        let types: [UInt8] = values.map { $0 == nil ? 0x00 : 0x2C }
        return [UInt8(types.count + 2)] + types + [0x01] + values.flatMap { $0 ?? [] }
    }

    @Test("a store with a trigger or a view that somebody put into the file is errSecNotAvailable, and nothing is done")
    func hostileSchema() throws {
        let store = try TestStore()
        #expect(store.open().add("anna", "secret") == .done)
        try store.raw().execute(
            """
            CREATE TABLE loot (bytes BLOB);
            CREATE TRIGGER thief AFTER UPDATE ON items_genp BEGIN
                INSERT INTO loot VALUES (new.secret);
                DELETE FROM items_genp;
            END;
            """
        )
        let keychain = store.open()
        #expect(keychain.update("anna", "changed") == .failed(.notAvailable))
        #expect(keychain.secret("anna") == .failed(.notAvailable))
        #expect(try store.raw().integer("SELECT count(*) FROM loot") == 0)
        try store.raw().execute("DROP TRIGGER thief; DROP TABLE loot;")
        #expect(store.open().update("anna", "changed") == .done)
        try store.raw().execute("ALTER TABLE items_genp RENAME TO real; CREATE VIEW items_genp AS SELECT * FROM real;")
        #expect(store.open().secret("anna") == .failed(.notAvailable))
    }

    @Test(
        "a column or a table that is missing is errSecNotAvailable",
        arguments: ["metadata", "t_acct", "damage", "items_genp"]
    )
    func missingColumn(_ name: String) throws {
        let store = try TestStore()
        #expect(store.open().add("anna", "secret") == .done)
        try store.raw().execute(
            name == "items_genp"
                ? "ALTER TABLE items_genp RENAME TO gone" : "ALTER TABLE items_genp RENAME COLUMN \(name) TO gone"
        )
        let keychain = store.open()
        #expect(keychain.secret("anna") == .failed(.notAvailable))
        #expect(keychain.delete("anna") == .failed(.notAvailable))
    }
}
