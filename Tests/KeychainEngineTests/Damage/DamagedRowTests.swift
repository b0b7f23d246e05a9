// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainEngine
import KeychainTestSupport
import Testing

/// Rows that somebody altered: set aside and reported, never forgotten, and nothing else suffers
/// (Documentation/Format.md, "Quarantine").
struct DamagedRowTests {
    /// What was done to the row of "bert", which is number 2 of 3.
    enum Tampering: CaseIterable, CustomTestStringConvertible {
        case swappedMetadata, swappedSecrets, swappedBoth, swappedAccounts, swappedPrimaryKeys, copiedTag, removedTag
        case olderSecret, olderMetadata, olderVersion, otherClass, unknownClass, otherGeneration, hugeGeneration
        case emptyMetadata, emptySecret, shortSecret, longMetadata, wrongTypes, newIdentifier

        var testDescription: String { "\(self)" }

        /// Whether only the secret is damaged, so that the attributes alone still open.
        var sparesMetadata: Bool {
            switch self {
            case .swappedSecrets, .olderSecret, .emptySecret, .shortSecret: true
            default: false
            }
        }

        /// Whether the row of "anna" is damaged with it.
        var hitsNeighbour: Bool {
            switch self {
            case .swappedMetadata, .swappedSecrets, .swappedBoth, .swappedAccounts, .swappedPrimaryKeys: true
            default: false
            }
        }

        func inflict(on store: TestStore) throws {
            let raw = try store.raw()
            switch self {
            case .swappedMetadata: try Self.swap(["metadata"], raw)
            case .swappedSecrets: try Self.swap(["secret"], raw)
            case .swappedBoth: try Self.swap(["metadata", "secret"], raw)
            case .swappedAccounts: try Self.swap(["t_acct"], raw)
            case .swappedPrimaryKeys: try Self.swap(["pk"], raw)
            case .copiedTag: try raw.run("UPDATE items_genp SET t_labl = t_acct WHERE id = 2")
            case .removedTag: try raw.run("UPDATE items_genp SET t_icmt = NULL WHERE id = 2")
            case .olderSecret, .olderMetadata, .olderVersion:
                let column = self == .olderSecret ? "secret" : self == .olderMetadata ? "metadata" : "version"
                let older = try raw.run("SELECT \(column) FROM items_genp WHERE id = 2")
                #expect(store.open().update("bert", "newer") == .done)
                try raw.run("UPDATE items_genp SET \(column) = ? WHERE id = 2", older)
            case .otherClass: try raw.run("UPDATE items_genp SET protection = 'dk' WHERE id = 2")
            case .unknownClass: try raw.run("UPDATE items_genp SET protection = 'no class' WHERE id = 2")
            case .otherGeneration: try raw.run("UPDATE items_genp SET generation = 2 WHERE id = 2")
            case .hugeGeneration: try raw.run("UPDATE items_genp SET generation = -9223372036854775808 WHERE id = 2")
            case .emptyMetadata: try raw.run("UPDATE items_genp SET metadata = x'' WHERE id = 2")
            case .emptySecret: try raw.run("UPDATE items_genp SET secret = x'' WHERE id = 2")
            case .shortSecret: try raw.run("UPDATE items_genp SET secret = substr(secret, 1, 39) WHERE id = 2")
            case .longMetadata: try raw.run("UPDATE items_genp SET metadata = zeroblob(1000000) WHERE id = 2")
            case .wrongTypes:
                try raw.run("UPDATE items_genp SET version = 'text', generation = 'text', metadata = 1.5 WHERE id = 2")
            case .newIdentifier: try raw.run("UPDATE items_genp SET uuid = randomblob(16) WHERE id = 2")
            }
        }

        /// Exchanges columns of the rows 1 and 2.
        private static func swap(_ columns: [String], _ raw: RawStore) throws {
            for column in columns {
                let values = try raw.run("SELECT \(column) FROM items_genp WHERE id <= 2 ORDER BY id")
                try #require(values.count == 2)
                try raw.run("UPDATE items_genp SET \(column) = randomblob(16) WHERE id = 1")
                try raw.run("UPDATE items_genp SET \(column) = ? WHERE id = 2", [values[0]])
                try raw.run("UPDATE items_genp SET \(column) = ? WHERE id = 1", [values[1]])
            }
        }
    }

    private static func tampered(_ tampering: Tampering) throws -> TestStore {
        let store = try TestStore()
        let keychain = store.open()
        for account in ["anna", "bert", "carl"] {
            #expect(keychain.add(account, "secret of \(account)", with: ["icmt": .string("comment")]) == .done)
        }
        try tampering.inflict(on: store)
        return store
    }

    @Test("an altered row is errSecDecode, and no other row suffers", arguments: Tampering.allCases)
    func damaged(_ tampering: Tampering) throws {
        let store = try Self.tampered(tampering)
        let keychain = store.open()
        if tampering.sparesMetadata { #expect(keychain.find("bert") == .accounts(["bert"])) }
        for _ in 0..<2 {
            #expect(keychain.secret("bert") == .failed(.decode))
            #expect(keychain.secret("carl") == .secret("secret of carl"))
            #expect(keychain.secret("anna") == (tampering.hitsNeighbour ? .failed(.decode) : .secret("secret of anna")))
        }
        #expect(keychain.find("bert") == .failed(.decode))
        #expect(keychain.find("nobody") == .failed(.itemNotFound))
        // The damaged rows were set aside, so they stop no query for all.
        let others: Set = tampering.hitsNeighbour ? ["carl"] : ["anna", "carl"]
        #expect(keychain.everything() == .accounts(others))
        #expect(store.open().everything() == .accounts(others))
    }

    @Test("a query for all is errSecDecode once, and then gives the others", arguments: Tampering.allCases)
    func all(_ tampering: Tampering) throws {
        let store = try Self.tampered(tampering)
        let keychain = store.open()
        #expect(keychain.everything() == .failed(.decode))
        #expect(keychain.everything() == .accounts(tampering.hitsNeighbour ? ["carl"] : ["anna", "carl"]))
        #expect(keychain.secret("bert") == .failed(.decode))
    }

    @Test("an update of all changes nothing until the altered row is set aside", arguments: Tampering.allCases)
    func updateAll(_ tampering: Tampering) throws {
        let store = try Self.tampered(tampering)
        let keychain = store.open()
        let before = try store.raw().run("SELECT version FROM items_genp ORDER BY id")
        // One altered row is set aside at a time.
        for _ in 0..<(tampering.hitsNeighbour ? 2 : 1) {
            #expect(keychain.updateEverything(comment: "new") == .failed(.decode))
            #expect(try store.raw().run("SELECT version FROM items_genp ORDER BY id") == before)
        }
        #expect(keychain.updateEverything(comment: "new") == .done)
        #expect(keychain.find("carl", ["icmt": .string("new")]) == .accounts(["carl"]))
        #expect(keychain.secret("bert") == .failed(.decode))
    }

    @Test("an update of an altered row is errSecDecode and leaves its bytes", arguments: Tampering.allCases)
    func update(_ tampering: Tampering) throws {
        let store = try Self.tampered(tampering)
        let before = try store.raw().run("SELECT metadata, secret FROM items_genp ORDER BY id")
        for _ in 0..<2 { #expect(store.open().update("bert", "changed") == .failed(.decode)) }
        #expect(try store.raw().run("SELECT metadata, secret FROM items_genp ORDER BY id") == before)
    }

    @Test(
        "an item can be added beside the altered row of its primary key, whose bytes stay",
        arguments: Tampering.allCases
    )
    func addBeside(_ tampering: Tampering) throws {
        let store = try Self.tampered(tampering)
        let keychain = store.open()
        let before = try store.raw().run("SELECT metadata, secret FROM items_genp WHERE id = 2")
        // What only the secret shows, an add does not see: the row has to be met by a read first.
        if tampering.sparesMetadata { #expect(keychain.secret("bert") == .failed(.decode)) }
        #expect(keychain.add("bert", "new secret") == .done)
        #expect(keychain.secret("bert") == .secret("new secret"))
        #expect(keychain.add("bert", "newer secret") == .failed(.duplicateItem))
        #expect(try store.raw().run("SELECT metadata, secret FROM items_genp WHERE id = 2") == before)
        #expect(try keychain.check().damagedRows.count == (tampering.hitsNeighbour ? 2 : 1))
    }

    @Test("a delete removes the altered row, and then it is not found", arguments: Tampering.allCases)
    func delete(_ tampering: Tampering) throws {
        let store = try Self.tampered(tampering)
        let keychain = store.open()
        #expect(keychain.secret("bert") == .failed(.decode))
        // Under exchanged primary keys the row has to be met by its other claim, too.
        if tampering == .swappedPrimaryKeys { #expect(keychain.secret("anna") == .failed(.decode)) }
        #expect(keychain.delete("bert") == .done)
        #expect(keychain.secret("bert") == .failed(.itemNotFound))
        #expect(keychain.add("bert", "again") == .done)
        #expect(keychain.secret("bert") == .secret("again"))
        #expect(keychain.secret("carl") == .secret("secret of carl"))
    }

    @Test(
        "a check names the altered row, before and after it is set aside, and changes nothing",
        arguments: Tampering.allCases
    )
    func check(_ tampering: Tampering) throws {
        let store = try Self.tampered(tampering)
        let keychain = store.open()
        let count = tampering.hitsNeighbour ? 2 : 1
        let before = try keychain.check()
        #expect(before.structuralDefects == [])
        #expect(before.intactRows == 3 - count)
        #expect(before.damagedRows.map(\.isQuarantined) == Array(repeating: false, count: count))
        _ = keychain.everything()
        let after = try keychain.check()
        #expect(after.damagedRows.map(\.isQuarantined) == Array(repeating: true, count: count))
        #expect(after.damagedRows.map(\.persistentReference) == before.damagedRows.map(\.persistentReference))
        let identifier = try #require(try store.raw().run("SELECT uuid FROM items_genp WHERE id = 2")[0])
        #expect(after.damagedRows.map(\.persistentReference).contains(Array("genp".utf8) + identifier))
        for damaged in after.damagedRows {
            let reference: PropertyDictionary = ["v_PersistentRef": .data(SecretBytes(damaged.persistentReference))]
            #expect(keychain.answer(.delete(reference)) { _ in .done } == .done)
        }
        #expect(try keychain.check().isSound)
    }
}
