// SPDX-License-Identifier: Apache-2.0

import Crypto
import Foundation
import KeychainCore
import KeychainEngine
import KeychainTestSupport
import Testing

/// No file of the store shows what was stored, neither as it is nor as an unsalted hash.
struct LeakTests {
    /// Every value that was ever stored, in the bytes that it could lie there in.
    private static let texts = [
        "distinctive account", "distinctive service", "distinctive label", "distinctive comment", "distinctive generic",
        "distinctive description", "a distinctive secret", "another distinctive secret", "a distinctive new account",
        "a distinctive new label", "distinctive.server.example", "/distinctive/path", "distinctive domain",
        "distinctive tag", "distinctive deleted secret", "distinctive deleted account",
        "TEAMID.com.example.distinctive-group", String(repeating: "distinctive and long ", count: 1_000),
    ]

    @Test("no file of the store contains a value of an attribute, a secret or an unsalted hash of one")
    func noTrace() throws {
        let store = try TestStore()
        try Self.exercise(store.open())
        let names = try FileManager.default.contentsOfDirectory(atPath: store.path)
        try #require(Set(names).isSuperset(of: ["keychain.db", "keychain.db-wal", "keychain.db-shm"]))
        try Self.expectNoTrace(of: try Self.traces(store), in: store)
        try store.checkpoint()
        try Self.expectNoTrace(of: try Self.traces(store), in: store)
    }

    @Test("the search would find a trace")
    func searchWorks() throws {
        let store = try TestStore()
        try Self.exercise(store.open())
        for (name, bytes) in try Self.traces(store).prefix(20) {
            try store.raw().execute("CREATE TABLE IF NOT EXISTS trace (bytes BLOB); DELETE FROM trace;")
            try store.raw().run("INSERT INTO trace VALUES (?)", [Array(bytes.prefix(200))])
            let found = try store.contents().contains { $0.value.range(of: bytes.prefix(200)) != nil }
            #expect(found, "\(name)")
        }
    }

    @Test("the same secret and the same attributes look different every time they are stored")
    func randomized() throws {
        let store = try TestStore()
        let keychain = store.open()
        var seen: Set<[UInt8]> = []
        for _ in 0..<5 {
            #expect(keychain.add("anna", "secret") == .done)
            #expect(keychain.update("anna", "secret") == .done)
            let row = try store.raw().run("SELECT uuid, version, metadata, secret FROM items_genp").compactMap(\.self)
            for bytes in row { #expect(seen.insert(bytes).inserted) }
            #expect(keychain.delete("anna") == .done)
        }
        let other = try TestStore()
        let (one, two) = (store.open(), other.open())
        #expect(one.add("anna", "secret") == .done)
        #expect(two.add("anna", "secret") == .done)
        let tags = "SELECT pk, t_acct, t_svce, t_agrp FROM items_genp"
        let (ones, twos) = (try store.raw().run(tags), try other.raw().run(tags))
        #expect(Set(ones).isDisjoint(with: twos))
    }

    @Test(
        "what changes in a row does not tell whether its secret did, nor whether it was set back, and its length hardly does"
    )
    func secretChanges() throws {
        let store = try TestStore()
        let keychain = store.open()
        #expect(keychain.add("anna", "secret") == .done)
        let raw = try store.raw()
        let columns = try raw.run("SELECT name FROM pragma_table_info('items_genp') ORDER BY cid").compactMap { name in
            name.map { String(decoding: $0, as: UTF8.self) }
        }
        func row() throws -> [[UInt8]?] { try raw.run("SELECT * FROM items_genp") }
        var last = try row()
        var lengths: Set<Int> = []
        for secret in ["secret", "another", "secret", "a somewhat longer one"] {
            #expect(keychain.update("anna", secret) == .done)
            let next = try row()
            let changed = columns.indices.filter { last[$0] != next[$0] }.map { columns[$0] }
            #expect(Set(changed).subtracting(["t_mdat"]) == ["version", "metadata", "secret"], "\(secret)")
            let index = try #require(columns.firstIndex(of: "secret"))
            lengths.insert(next[index]?.count ?? 0)
            last = next
        }
        #expect(lengths == [60])
        #expect(!columns.contains("t_sha1"))
    }

    private static func exercise(_ keychain: EmbeddedKeychain) throws {
        let generic: [String: PropertyValue] = [
            "class": .string("genp"), "acct": .string(texts[0]), "svce": .string(texts[1]), "labl": .string(texts[2]),
            "icmt": .string(texts[3]), "gena": .data(SecretBytes(Array(texts[4].utf8))), "desc": .string(texts[5]),
            "v_Data": .data(SecretBytes(Array(texts[6].utf8))), "agrp": .string(texts[16]),
        ]
        let internet: [String: PropertyValue] = [
            "class": .string("inet"), "acct": .string(texts[0]), "srvr": .string(texts[10]), "path": .string(texts[11]),
            "sdmn": .string(texts[12]), "v_Data": .data(SecretBytes(Array(texts[17].utf8))),
        ]
        let key: [String: PropertyValue] = [
            "class": .string("keys"), "atag": .data(SecretBytes(Array(texts[13].utf8))),
            "klbl": .string(texts[2]), "v_Data": .data(SecretBytes(Array(texts[6].utf8))),
        ]
        let certificate: [String: PropertyValue] = [
            "class": .string("cert"), "subj": .string(texts[2]), "slnr": .string(texts[3]),
            "v_Data": .data(SecretBytes(Array(texts[17].utf8))),
        ]
        for item in [generic, internet, key, certificate] {
            try #require(keychain.answer(.add(PropertyDictionary(item))) { _ in .done } == .done)
        }
        let query: PropertyDictionary = ["class": .string("genp"), "acct": .string(texts[0])]
        let changes: PropertyDictionary = [
            "acct": .string(texts[8]), "labl": .string(texts[9]), "v_Data": .data(SecretBytes(Array(texts[7].utf8))),
        ]
        try #require(keychain.answer(.update(query, attributes: changes)) { _ in .done } == .done)
        for more in [[:], ["sync": .boolean(true)]] as [[String: PropertyValue]] {
            try #require(keychain.add(texts[15], texts[14], with: more) == .done)
            try #require(keychain.delete(texts[15], more) == .done)
        }
    }

    /// What to look for: values of at least eight bytes, in UTF-8 and UTF-16, their hashes, and the root key.
    private static func traces(_ store: TestStore) throws -> [(name: String, bytes: Data)] {
        var traces = [("the root key", Data(try store.bytes(of: "root.key")))]
        for text in texts {
            let value = Data(text.utf8)
            let name = String(text.prefix(30))
            traces += [
                (name, value), ("\(name) in UTF-16", Data(text.utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] })),
                ("\(name) in Base64", Data(value.base64EncodedString().prefix(24).utf8)),
                ("MD5 of \(name)", Data(Insecure.MD5.hash(data: value))),
                ("SHA-1 of \(name)", Data(Insecure.SHA1.hash(data: value))),
                ("SHA-256 of \(name)", Data(SHA256.hash(data: value))),
                ("SHA-256 of \(name), cut to a tag", Data(SHA256.hash(data: value)).prefix(16)),
                ("SHA-512 of \(name)", Data(SHA512.hash(data: value)).prefix(16)),
            ]
        }
        return traces
    }

    private static func expectNoTrace(of traces: [(name: String, bytes: Data)], in store: TestStore) throws {
        for name in try FileManager.default.contentsOfDirectory(atPath: store.path) where name != "root.key" {
            let contents = Data(try store.bytes(of: name))
            for trace in traces {
                let isThere = contents.range(of: trace.bytes) != nil
                #expect(!isThere, "\(trace.name) in \(name)")
            }
        }
    }
}
