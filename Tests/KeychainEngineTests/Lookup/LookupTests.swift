// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainCore
import KeychainStore
import KeychainTestSupport
import Testing

@testable import KeychainEngine

/// Items by their lookup attributes, and the same items by the item functions.
struct LookupTests {
    private let store: TestStore
    private let keychain: EmbeddedKeychain

    init() throws {
        store = try TestStore()
        keychain = store.open()
    }

    // MARK: - Searches

    @Test("a search finds what has every pair, byte for byte, and nothing else; an empty one finds all")
    func search() throws {
        let ids = try [
            ["service": "S", "account": "A"], ["service": "S", "account": "B"], ["service": "S"], ["other": "é"],
        ].map { try keychain.store($0, "secret").identifier }
        func found(_ search: LookupAttributes) throws -> [ItemIdentifier] {
            try keychain.search(search).map(\.identifier)
        }
        #expect(try found(["service": "S"]) == Array(ids[0...2]))
        #expect(try found(["service": "S", "account": "A"]) == [ids[0]])
        #expect(try found(["service": "s"]) == [])
        #expect(try found(["account": "A", "more": ""]) == [])
        #expect(try found(["other": "é"]) == [ids[3]])
        #expect(try found(["other": "e\u{301}"]) == [])
        #expect(try found([:]) == ids)
        #expect(try keychain.search([:]).allSatisfy { !$0.isLocked })
    }

    @Test("an item of the item functions is found by what its columns mean, one with lookup attributes by these alone")
    func derived() throws {
        #expect(keychain.add("A", "by SecItemAdd") == .done)
        try keychain.store(["service": "service", "username": "A", "kind": "own"], "by store")
        for search: LookupAttributes in [
            ["service": "service", "account": "A"], ["user": "A"],
            ["xdg:schema": "org.freedesktop.Secret.Generic", "account": "A"],
        ] {
            #expect(try keychain.found(search) == ["by SecItemAdd"], "\(search)")
        }
        #expect(try keychain.found(["service": "service"]) == ["by SecItemAdd", "by store"])
        #expect(try keychain.found(["username": "A"]) == ["by SecItemAdd", "by store"])
        #expect(try keychain.found(["kind": "own"]) == ["by store"])
        let item = try #require(try keychain.describe(keychain.search(["user": "A"]).map(\.identifier)).first)
        #expect(item.attributes == ["service": "service", "account": "A"] && item.label == "")
    }

    @Test("what is stored with lookup attributes is found by its columns, without these among the attributes")
    func columns() throws {
        try keychain.store(["service": "S", "username": "A", "more": "m"], "secret", label: "L")
        let entries = try keychain.dictionary(ofService: "S")
        #expect(entries["acct"] == .string("A") && entries["labl"] == .string("L"))
        #expect(entries["pdmn"] == .string("ak") && entries["lkup"] == nil && entries["vwht"] == nil)
        #expect(entries["agrp"] == .string(TestStore.client.accessGroups[0]))
        let inet: PropertyDictionary = [
            "class": .string("inet"), "srvr": .string("h"), "port": .number(.integer(8443)), "ptcl": .string("htps"),
            "r_Data": .boolean(true),
        ]
        try keychain.store(
            ["xdg:schema": "org.git.Password", "server": "h", "protocol": "https", "port": "8443"],
            "git"
        )
        let answer = try keychain.perform(KeychainRequest(.copyMatching(inet), client: TestStore.client))
        #expect(answer == .single(.data(SecretBytes(Array("git".utf8)))))
    }

    @Test("another group's items, and synchronizable ones, are absent: from searches, by identifier, for changes")
    func absence() throws {
        let other = Client(accessGroups: ["another"])
        let foreign = try keychain.store(["service": "S"], "theirs", as: other).identifier
        #expect(keychain.add("sync", "secret", with: ["sync": .boolean(true)]) == .done)
        #expect(try keychain.search([:]) == [] && keychain.search(["service": "S"]) == [])
        #expect(try keychain.describe([foreign]) == [] && keychain.secrets([foreign]) == [])
        for change in [LookupChange.label("x"), .attributes([:]), .secret(SecretBytes(), contentType: "")] {
            let failure = #expect(throws: KeychainError.self) { try keychain.change(foreign, change) }
            #expect(failure?.status == .itemNotFound)
        }
        #expect(throws: KeychainError.self) { try keychain.deleteItem(foreign) }
        // Neither is replaced.
        #expect(try keychain.store(["service": "S"], "ours").isNew)
        #expect(try keychain.found(["service": "S"]) == ["ours"])
        #expect(try keychain.found(["service": "S"], as: other) == ["theirs"])
        #expect(try keychain.found(["service": "S"], as: .person) == ["theirs", "ours"])
        let nobody = #expect(throws: KeychainError.self) { try keychain.search([:], as: Client(accessGroups: [])) }
        #expect(nobody?.status == .missingEntitlement)
    }

    @Test("secrets of more bytes than two of the longest are not returned together")
    func secretBytes() throws {
        let secret = String(repeating: "x", count: 11 << 20)
        let items = try ["1", "2", "3"].map { try keychain.store(["a": $0], secret).identifier }
        #expect(try keychain.secrets(Array(items.prefix(2))).count == 2)
        let error = #expect(throws: KeychainError.self) { try keychain.secrets(items) }
        #expect(error?.status == .dataTooLarge)
    }

    // MARK: - Storing

    @Test("only an item with exactly the same lookup attributes is replaced: one with more or fewer pairs stays")
    func replacing() throws {
        let both = try keychain.store(["service": "S", "user": "u"], "both")
        let one = try keychain.store(["service": "S"], "one")
        #expect(both.isNew && one.isNew && both.identifier != one.identifier)
        let again = try keychain.store(["user": "u", "service": "S"], "changed", label: "new", contentType: "a/b")
        #expect(again == LookupStored(both.identifier, isNew: false))
        #expect(try keychain.found(["user": "u"]) == ["changed"])
        #expect(try keychain.found(["service": "S"]) == ["changed", "one"])
        let item = try #require(try keychain.describe([both.identifier]).first)
        #expect(item.label == "new" && item.created ?? .referenceDate <= item.modified ?? .referenceDate)
        #expect(try keychain.secrets([both.identifier]).map(\.contentType) == ["a/b"])
    }

    @Test("without replacing, and with other attributes that give the same columns, an item is stored beside the first")
    func sameColumns() throws {
        let ids = try [
            keychain.store(["service": "S", "user": "u"], "1", replacing: false),
            keychain.store(["service": "S", "user": "u"], "2", replacing: false),
            keychain.store(["service": "S", "username": "u", "x": "y"], "3"),
        ].map(\.identifier)
        #expect(Set(ids).count == 3)
        #expect(try keychain.found(["service": "S"]) == ["1", "2", "3"])
        // The first one is what an item function adds, and finds first.
        #expect(try keychain.dictionary(ofService: "S")["vwht"] == nil)
        let all: PropertyDictionary = [
            "class": .string("genp"), "svce": .string("S"), "m_Limit": .string("m_LimitAll"), "r_Data": .boolean(true),
        ]
        let answer = try keychain.perform(KeychainRequest(.copyMatching(all), client: TestStore.client))
        #expect(answer.values.count == 3)
        // An exact replacement takes the oldest of equals.
        #expect(try keychain.store(["service": "S", "user": "u"], "4") == LookupStored(ids[0], isNew: false))
        try keychain.deleteItem(ids[0])
        #expect(try keychain.found(["service": "S"]) == ["2", "3"])
    }

    @Test(
        "an item of the item functions is replaced by exactly the attributes that its columns give, and has them then"
    )
    func replacingDerived() throws {
        #expect(keychain.add("A", "first") == .done)
        let stored = try keychain.store(["service": "service", "account": "A"], "second", contentType: "a/b")
        #expect(!stored.isNew && keychain.secret("A") == .secret("second"))
        #expect(try keychain.secrets([stored.identifier]).map(\.contentType) == ["a/b"])
        #expect(try keychain.store(["service": "service", "username": "A"], "third").isNew)
    }

    @Test("an item of the item functions is replaced by what names its schema besides, as libsecret does")
    func replacingDerivedWithSchema() throws {
        #expect(keychain.add("A", "first") == .done)
        let generic: LookupAttributes = [
            "xdg:schema": "org.freedesktop.Secret.Generic", "service": "service", "account": "A",
        ]
        #expect(try !keychain.store(generic, "second").isNew)
        #expect(keychain.secret("A") == .secret("second"))
        let row: PropertyDictionary = [
            "class": .string("inet"), "srvr": .string("h"), "acct": .string("A"), "ptcl": .string("htps"),
            "atyp": .string("dflt"), "v_Data": .data(SecretBytes(Array("first".utf8))),
        ]
        _ = try keychain.perform(KeychainRequest(.add(row), client: TestStore.client))
        let network: LookupAttributes = [
            "xdg:schema": "org.gnome.keyring.NetworkPassword", "server": "h", "user": "A", "protocol": "https",
        ]
        #expect(try !keychain.store(network, "second").isNew)
        #expect(try keychain.found(["server": "h"]) == ["second"])
        // Its columns give no other schema, and a schema alone is of no item.
        #expect(keychain.add("B", "first") == .done)
        let other: LookupAttributes = ["xdg:schema": "org.example.Other", "service": "service", "account": "B"]
        #expect(try keychain.store(other, "third").isNew)
        #expect(try keychain.store(["xdg:schema": "org.freedesktop.Secret.Generic"], "fourth").isNew)
    }

    @Test("a secret of any bytes and content type comes back, and one made elsewhere has a type that fits")
    func contentTypes() throws {
        let id = try keychain.store([:], "", contentType: "application/x-thing; v=1").identifier
        try keychain.change(id, .secret(SecretBytes([0xFF, 0]), contentType: "application/octet-stream"))
        let secret = try #require(try keychain.secrets([id]).first)
        #expect(secret.secret == SecretBytes([0xFF, 0]) && secret.contentType == "application/octet-stream")
        #expect(keychain.add("A", "text") == .done)
        let derived = try keychain.search(["account": "A"]).map(\.identifier)
        #expect(try keychain.secrets(derived).map(\.contentType) == ["text/plain"])
    }

    // MARK: - Changes

    @Test("a change of columns by an item function shows in the lookup attributes, and is what a search finds")
    func updateShows() throws {
        let id = try keychain.store(["service": "S", "username": "A", "more": "m"], "secret", label: "L").identifier
        try keychain.updateService("S", ["svce": .string("T"), "acct": .string("B"), "labl": .string("M")])
        let item = try #require(try keychain.describe([id]).first)
        #expect(item.attributes == ["service": "T", "username": "B", "more": "m"] && item.label == "M")
        #expect(try keychain.found(["service": "T", "username": "B"]) == ["secret"])
        #expect(try keychain.search(["service": "S"]) == [] && keychain.search(["username": "A"]) == [])
        #expect(try keychain.check().isSound)
    }

    @Test("a change of lookup attributes shows in the columns, and one of the label in the label")
    func changeShows() throws {
        let id = try keychain.store(["service": "S", "username": "A"], "secret").identifier
        try keychain.change(id, .attributes(["service": "T", "account": "B", "k": "v"]))
        try keychain.change(id, .label("changed"))
        let entries = try keychain.dictionary(ofService: "T")
        #expect(entries["acct"] == .string("B") && entries["labl"] == .string("changed"))
        #expect(try keychain.search(["username": "A"]) == [])
        #expect(try keychain.search(["k": "v"]).map(\.identifier) == [id])
        // Lookup attributes may give the columns of another item.
        let other = try keychain.store(["service": "O"], "other").identifier
        try keychain.change(other, .attributes(["service": "T", "account": "B"]))
        #expect(try keychain.found(["service": "T"]) == ["secret", "other"])
        // One of the item functions gets lookup attributes of its own.
        #expect(keychain.add("C", "third") == .done)
        let third = try #require(try keychain.search(["account": "C"]).first).identifier
        try keychain.change(third, .attributes(["only": "this"]))
        #expect(try keychain.describe([third]).map(\.attributes) == [["only": "this"]])
        #expect(keychain.secret("C") == .failed(.itemNotFound))
        #expect(try keychain.check().isSound)
    }

    @Test("what is deleted by either way is gone from searches; without lookup attributes the store is as before")
    func deletion() throws {
        #expect(keychain.add("plain", "stays") == .done)
        let first = try keychain.store(["service": "S", "k": "1"], "1").identifier
        try keychain.store(["service": "T", "k": "1"], "2")
        #expect(try store.raw().integer("PRAGMA user_version") == Int(StoreFeature.lookupAttributes.version.recorded))
        try keychain.deleteItem(first)
        #expect(try keychain.found(["k": "1"]) == ["2"])
        let query: PropertyDictionary = ["class": .string("genp"), "svce": .string("T")]
        _ = try keychain.perform(KeychainRequest(.delete(query), client: TestStore.client))
        #expect(try keychain.search(["k": "1"]) == [])
        #expect(try store.raw().integer("PRAGMA user_version") == Int(FileVersion.base.recorded))
        #expect(keychain.secret("plain") == .secret("stays"))
        #expect(try keychain.search(["account": "plain"]).count == 1)
    }

    @Test("an item that moves to another access group keeps its lookup attributes")
    func move() throws {
        let client = Client(accessGroups: TestStore.client.accessGroups + ["another"])
        let id = try keychain.store(["service": "S", "k": "v"], "secret").identifier
        let query: PropertyDictionary = ["class": .string("genp"), "svce": .string("S")]
        _ = try keychain.perform(
            KeychainRequest(.update(query, attributes: ["agrp": .string("another")]), client: client)
        )
        #expect(try keychain.search(["k": "v"]) == [])
        #expect(try keychain.search(["k": "v"], as: Client(accessGroups: ["another"])).map(\.identifier) == [id])
    }

    // MARK: - The lists

    @Test("lists that were altered lead to no wrong item, a check says so, and a recovery lists again")
    func alteredLists() throws {
        let ids = try ["A", "B"].map { try keychain.store(["service": $0, "k": $0], $0).identifier }
        #expect(try keychain.check().isSound)
        let raw = try store.raw()
        // Each is listed as the other one.
        try raw.execute("UPDATE lookup_tags_genp SET item = 3 - item")
        #expect(try keychain.search(["k": "A"]) == [])
        #expect(
            try keychain.describe(ids).map(\.attributes) == [["service": "A", "k": "A"], ["service": "B", "k": "B"]]
        )
        #expect(try keychain.check().structuralDefects.contains { $0.contains("2 items") })
        try keychain.recover()
        #expect(try keychain.check().isSound)
        #expect(try keychain.search(["k": "A"]).map(\.identifier) == [ids[0]])
        // An item is replaced again after nothing was listed of any.
        try raw.execute("DELETE FROM lookup_genp")
        try keychain.recover()
        #expect(try keychain.store(["service": "B", "k": "B"], "again") == LookupStored(ids[1], isNew: false))
    }

    @Test(
        "a check finds what is listed of items that are gone, and a tag too many or too few; a recovery lists again",
        arguments: [
            "INSERT INTO lookup_tags_genp (item, tag) VALUES (77, x'00')",
            "INSERT INTO lookup_genp SELECT 77, version, whole, face FROM lookup_genp WHERE id = 1",
            "INSERT INTO lookup_tags_genp (item, tag) VALUES (1, randomblob(16))",
            "INSERT INTO lookup_tags_genp (item, tag) SELECT item, tag FROM lookup_tags_genp WHERE item = 1",
            "DELETE FROM lookup_tags_genp WHERE id = 1", "DELETE FROM lookup_genp WHERE id = 1",
            "UPDATE lookup_genp SET whole = randomblob(16) WHERE id = 1",
            "UPDATE lookup_genp SET face = randomblob(length(face)) WHERE id = 1",
            "UPDATE lookup_genp SET version = randomblob(16) WHERE id = 1",
        ]
    )
    func alteredList(_ change: String) throws {
        for service in ["A", "B"] { try keychain.store(["service": service, "k": service], service) }
        #expect(try keychain.check().isSound)
        try store.raw().execute(change)
        #expect(try !keychain.check().isSound)
        try keychain.recover()
        #expect(try keychain.check().isSound)
        #expect(try keychain.found(["k": "A"]) == ["A"])
    }

    @Test("1 MiB of attributes is kept, found by each pair, and shown while it is locked, also after a backup")
    func largest() throws {
        let text = String(repeating: "é", count: LookupAttributes.maximumTextByteCount / 2 - 1)
        let attributes = try LookupAttributes((10..<26).map { LookupAttributes.Pair("\($0)", text) })
        let id = try keychain.store(attributes, "secret").identifier
        let secret = SecretBytes(Array("the secret of the backup".utf8))
        let path = store.folder.path(of: "backup")
        _ = try keychain.createBackup(at: path, secret: secret)
        let other = try TestStore()
        _ = try other.open().restoreBackup(from: path, secret: secret)
        for keychain in [keychain, other.open()] {
            for pair in attributes.pairs {
                #expect(try keychain.search(LookupAttributes([pair])).map(\.identifier) == [id])
            }
            try keychain.device.setPasscode(SecretBytes([1]))
            try keychain.device.lock()
            let item = try #require(try keychain.describe([id]).first)
            #expect(item.isLocked && item.attributes == attributes)
            try keychain.device.unlock(passcode: SecretBytes([1]))
            #expect(try keychain.check().isSound)
        }
    }

    @Test("a backup keeps lookup attributes through a restoration and a merge")
    func backups() throws {
        let secret = SecretBytes(Array("the secret of the backup".utf8))
        let path = store.folder.path(of: "backup")
        let id = try keychain.store(["service": "S", "k": "v"], "secret", label: "L", contentType: "a/b").identifier
        _ = try keychain.createBackup(at: path, secret: secret)
        // A program that knows no lookup attributes would restore items that it does not find by them.
        #expect(try RawStore(path: path).integer("PRAGMA user_version") == 0x0202_0302)
        let (restored, merged) = (try TestStore(), try TestStore())
        _ = try restored.open().restoreBackup(from: path, secret: secret)
        let target = merged.open()
        try target.store(["service": "own"], "own")
        _ = try target.maintenance.mergeBackup(from: .path(path), secret: secret, BackupMerge(.keepOurs))
        for keychain in [restored.open(), target] {
            #expect(try keychain.search(["k": "v"]).map(\.identifier) == [id])
            #expect(try keychain.secrets([id]).map(\.contentType) == ["a/b"])
            #expect(try keychain.check().isSound)
        }
    }
}
