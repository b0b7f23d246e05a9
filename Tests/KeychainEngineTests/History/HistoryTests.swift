// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import KeychainAuthenticators
import KeychainCore
import KeychainHost
import KeychainProtection
import KeychainSimulation
import KeychainStore
import KeychainTestSupport
import Synchronization
import Testing

@testable import KeychainEngine

/// Former values of items: what is kept, who reads it, and what removes it.
struct HistoryTests {
    private let store: TestStore
    private let keychain: EmbeddedKeychain

    init() throws {
        store = try TestStore()
        keychain = store.open()
        #expect(keychain.add("anna", "one") == .done)
    }

    private var version: Int { get throws { try store.raw().integer("PRAGMA user_version") } }

    @Test("nothing is kept unless somebody asks for it, and the store stays at its revision")
    func off() throws {
        #expect(keychain.update("anna", "two") == .done)
        let anna = try keychain.subject("anna")
        #expect(try keychain.history().values(of: anna) == ItemHistory(keep: 0, isOwn: false))
        #expect(try version == 0x0300)
        #expect(throws: KeychainError.self) { try keychain.history().keep(101, of: anna) }
        try keychain.history().clearAll()
        #expect(try version == 0x0300)
    }

    @Test("as many are kept as was asked for, of secrets that differ; the last one that was replaced comes first")
    func keeps() throws {
        let anna = try keychain.subject("anna")
        try keychain.history().keep(2, of: anna)
        #expect(try version == 0x0003_0303)
        #expect(keychain.update("anna", "one") == .done)
        #expect(keychain.updateEverything(comment: "x") == .done)
        #expect(try keychain.history().values(of: anna).values.isEmpty)
        for value in ["two", "three", "four"] { #expect(keychain.update("anna", value) == .done) }
        #expect(try keychain.formerValues(anna) == ["three", "two"])
        let notes = try keychain.history().values(of: anna)
        #expect(notes.isOwn && notes.keep == 2 && notes.values.map(\.byteCount) == [5, 3])
        #expect(notes.values.allSatisfy { $0.group == TestStore.client.accessGroups[0] })
        // Another item goes by the number for all.
        #expect(keychain.add("bert", "one") == .done)
        #expect(keychain.update("bert", "two") == .done)
        #expect(try keychain.formerValues(keychain.subject("bert")) == [])
        try keychain.history().keep(1, of: anna)
        #expect(try keychain.formerValues(anna) == ["three"])
        #expect(try store.open().formerValues(anna) == ["three"])
    }

    @Test("a number for all is for items without one of their own, and 0 removes everything and the feature")
    func forAll() throws {
        let anna = try keychain.subject("anna")
        try keychain.history().keepForAll(3)
        #expect(try keychain.history().numberForAll() == 3)
        for value in ["two", "three"] { #expect(keychain.update("anna", value) == .done) }
        #expect(try keychain.formerValues(anna) == ["two", "one"])
        try keychain.history().keep(0, of: anna)
        #expect(keychain.update("anna", "four") == .done)
        #expect(try keychain.formerValues(anna) == [])
        try keychain.history().keep(nil, of: anna)
        #expect(keychain.update("anna", "five") == .done)
        #expect(try keychain.formerValues(anna) == ["four"])
        try keychain.history().clearAll()
        #expect(try keychain.history().values(of: anna) == ItemHistory(keep: 3, isOwn: false))
        #expect(keychain.update("anna", "six") == .done)
        let refused = try keychain.maintenance.downgradeStore(to: 0)
        #expect(refused.obstacles.map(\.name) == ["history"])
        try keychain.history().keepForAll(0)
        #expect(try keychain.formerValues(anna) == [] && version == 0x0300)
        #expect(keychain.secret("anna") == .secret("six"))
        #expect(try keychain.check().isSound)
    }

    @Test("a former value is restored as a change, so that restoring again brings back what was there")
    func restores() throws {
        let anna = try keychain.subject("anna")
        try keychain.history().keep(1, of: anna)
        #expect(keychain.update("anna", "two") == .done)
        for expected in ["one", "two", "one"] {
            let value = try #require(try keychain.history().values(of: anna).values.first)
            try keychain.history().restore(value, of: anna)
            #expect(keychain.secret("anna") == .secret(expected))
        }
        #expect(throws: KeychainError.self) {
            try keychain.history().restore(
                FormerValue(.zero, replaced: .referenceDate, group: "", byteCount: 0),
                of: anna
            )
        }
        // What is there now would be lost.
        let value = try #require(try keychain.history().values(of: anna).values.first)
        #expect(keychain.update("anna", String(repeating: "x", count: ItemHistory.maximumByteCount)) == .done)
        let failure = #expect(throws: KeychainError.self) { try keychain.history().restore(value, of: anna) }
        #expect(failure?.status != nil && keychain.secret("anna") != .secret("two"))
    }

    @Test("a value that is too long to be kept takes the place of no others")
    func longValue() throws {
        let anna = try keychain.subject("anna")
        try keychain.history().keep(5, of: anna)
        for value in ["two", "three"] { #expect(keychain.update("anna", value) == .done) }
        let long = String(repeating: "x", count: ItemHistory.maximumValueByteCount + 1)
        #expect(keychain.update("anna", long) == .done)
        #expect(keychain.update("anna", "four") == .done)
        #expect(try keychain.formerValues(anna) == ["three", "two", "one"])
    }

    @Test("what deletes an item deletes its former values, and an item of the same name has none of them")
    func deletion() throws {
        let anna = try keychain.subject("anna")
        try keychain.history().keep(5, of: anna)
        #expect(keychain.update("anna", "two") == .done)
        #expect(keychain.delete("anna") == .done)
        #expect(throws: KeychainError.self) { try keychain.history().values(of: anna) }
        #expect(keychain.add("anna", "new") == .done)
        #expect(try keychain.formerValues(keychain.subject("anna")) == [])
    }

    @Test("no dictionary, search or explanation has them, and clients of other groups see none")
    func invisible() throws {
        let anna = try keychain.subject("anna")
        try keychain.history().keep(5, of: anna)
        #expect(keychain.update("anna", "two") == .done)
        let query: PropertyDictionary = [
            "class": .string("genp"), "m_Limit": .string("m_LimitAll"), "r_Attributes": .boolean(true),
            "r_Data": .boolean(true),
        ]
        let request = KeychainRequest(.copyMatching(query), client: TestStore.client)
        guard case .list(let found) = try keychain.perform(request), case .dictionary(let item)? = found.first else {
            Issue.record("nothing was found")
            return
        }
        #expect(found.count == 1 && item["hist"] == nil && item["v_Data"] == .data(SecretBytes(Array("two".utf8))))
        let explanation = try keychain.explain(ExplanationRequest(request, ExplanationOptions(itemLimit: 10)))
        #expect(explanation.search?.candidates.first?.attributes?[.history] == nil)
        let other = KeychainHistory(keychain, client: Client(accessGroups: ["other"]))
        let failure = #expect(throws: KeychainError.self) { try other.values(of: anna) }
        #expect(failure?.status == .itemNotFound)
    }

    @Test("they go with the item to another accessibility and to another access group")
    func moves() throws {
        let anna = try keychain.subject("anna")
        try keychain.history().keep(5, of: anna)
        #expect(keychain.update("anna", "two") == .done)
        let query: PropertyDictionary = ["class": .string("genp"), "acct": .string("anna")]
        for level in ["ck", "dku", "aku"] {
            let update = KeychainRequest.Operation.update(query, attributes: ["pdmn": .string(level)])
            _ = try keychain.perform(KeychainRequest(update, client: TestStore.client))
            #expect(try keychain.formerValues(anna) == ["one"], "\(level)")
        }
        let client = Client(accessGroups: TestStore.client.accessGroups + ["other"])
        let move = GroupMove(from: client.accessGroups[0], to: "other", client: client)
        _ = try keychain.maintenance.moveGroup(move)
        #expect(try keychain.formerValues(anna, as: client) == ["one"])
        #expect(throws: KeychainError.self) { try keychain.formerValues(anna) }
    }

    @Test("what a program cannot read of them is not lost by a change, a number or a restoration")
    func unreadable() throws {
        let anna = try keychain.subject("anna")
        try keychain.history().keep(5, of: anna)
        #expect(keychain.update("anna", "two") == .done)
        let strange: [UInt8] = [2, 9, 9]
        try keychain.withEngine { (engine) throws(KeychainError) in
            try engine.write { (writer) throws(KeychainError) in
                var filter = RowFilter(.genericPassword)
                filter.identifier = anna.identifier
                guard let row = try writer.rows(filter).first else { return }
                do {
                    var opened = try engine.device.openBackedUp(row.row)
                    opened.attributes[.history] = .data(strange)
                    let sealed = try engine.device.sealBackedUp(opened, ItemSealer(engine.device).tags)
                    _ = try writer.update(row, to: sealed)
                } catch {}
            }
        }
        #expect(keychain.update("anna", "three") == .done && keychain.secret("anna") == .secret("three"))
        let attempts: [() throws -> Void] = [
            { _ = try keychain.history().values(of: anna) }, { try keychain.history().keep(1, of: anna) },
            {
                let value = FormerValue(.zero, replaced: .referenceDate, group: "", byteCount: 0)
                try keychain.history().restore(value, of: anna)
            },
        ]
        for attempt in attempts {
            let failure = #expect(throws: KeychainError.self) { try attempt() }
            #expect(failure?.status == .decode)
        }
        try keychain.history().clear(anna)
        #expect(try keychain.history().values(of: anna).values.isEmpty)
    }

    @Test("a backup has none, and a merge that replaces an item keeps what it replaces")
    func backups() throws {
        let anna = try keychain.subject("anna")
        try keychain.history().keep(5, of: anna)
        #expect(keychain.update("anna", "two") == .done)
        let (path, secret) = (store.folder.path(of: "backup"), SecretBytes(Array("secret of the backup".utf8)))
        _ = try keychain.createBackup(at: path, secret: secret)
        let other = try TestStore()
        let restored = other.open()
        _ = try restored.maintenance.restoreBackup(from: .path(path), secret: secret)
        #expect(restored.secret("anna") == .secret("two"))
        #expect(try restored.formerValues(anna) == [])
        #expect(try other.raw().integer("PRAGMA user_version") == 0x0300)
        #expect(keychain.update("anna", "three") == .done)
        let merge = BackupMerge(.keepTheirs)
        _ = try keychain.maintenance.mergeBackup(from: .path(path), secret: secret, merge)
        #expect(keychain.secret("anna") == .secret("two"))
        #expect(try keychain.formerValues(anna) == ["three", "two", "one"])
    }

    @Test("a repair keeps them, and the number for all")
    func repair() throws {
        let store = try TestStore()
        let anna = try makeDamage(in: store)
        let location = KeychainLocation(path: store.path)
        let outcome = try StoreRepair(at: location).run(acceptsLostLog: true, date: "D") { _ in true }
        #expect(outcome.isDone && outcome.returnedRows == 1 && outcome.lostItems.isEmpty)
        let repaired = store.open()
        #expect(try repaired.formerValues(anna) == ["one"] && repaired.history().numberForAll() == 4)
        #expect(try repaired.check().isSound)
    }

    @Test(
        "a number for all that is none is reported by a check, and removed by a repair",
        arguments: ["'x'", "1000", "-1"]
    )
    func damagedNumber(_ number: String) throws {
        let store = try TestStore()
        var keychain: EmbeddedKeychain? = store.open()
        let anna = try numbered(keychain, of: store)
        let location = KeychainLocation(path: store.path)
        #expect(try StoreCheck(at: location).run().verdict == .sound)
        keychain = nil
        try store.raw().execute("UPDATE history SET keep = \(number)")
        try store.raw().checkpoint()
        let report = try StoreCheck(at: location).run()
        #expect(report.verdict == .damaged && report.findings.contains { $0.text.contains("number of former values") })
        // Meanwhile nothing that was kept is lost.
        #expect(try store.open().formerValues(anna) == ["one"])
        let outcome = try StoreRepair(at: location).run(acceptsLostLog: true, date: "D") { _ in true }
        #expect(outcome.isDone)
        #expect(try StoreCheck(at: location).run().verdict == .sound)
        let repaired = store.open()
        #expect(try repaired.formerValues(anna) == ["one"] && repaired.history().numberForAll() == 0)
        try repaired.history().keepForAll(2)
        #expect(repaired.update("anna", "three") == .done)
        #expect(try repaired.formerValues(anna) == ["two", "one"])
    }

    /// An item with a former value, and a number for all.
    private func numbered(_ keychain: EmbeddedKeychain?, of store: TestStore) throws -> HistoryRequest.Subject {
        let keychain = try #require(keychain)
        #expect(keychain.add("anna", "one") == .done)
        try keychain.history().keepForAll(4)
        #expect(keychain.update("anna", "two") == .done)
        return try keychain.subject("anna")
    }

    @Test(
        "a process that is killed while it changes a password has kept each value before the present one",
        arguments: 1...6
    )
    func killed(_ round: Int) async throws {
        let store = try TestStore()
        let keychain = store.open()
        #expect(keychain.add("anna", "0") == .done)
        let anna = try keychain.subject("anna")
        try keychain.history().keep(3, of: anna)
        let result = await #expect(processExitsWith: .failure) { [path = store.path as String, round = round as Int] in
            let keychain = EmbeddedKeychain(at: KeychainLocation(path: path))
            let changes = Mutex(0)
            Thread.detachNewThread {
                // At another moment of a change each time.
                while changes.withLock({ $0 }) < 2 * round {}
                for _ in 0..<(round * 20_000) { _ = changes.withLock { $0 } }
                kill(getpid(), SIGKILL)
            }
            for number in 1... {
                _ = keychain.update("anna", "\(number)")
                changes.withLock { $0 = number }
            }
        }
        #expect(result?.exitStatus == .signal(SIGKILL))
        let other = store.open()
        #expect(try other.check().isSound)
        guard case .secret(let text) = other.secret("anna"), let number = Int(text), number >= 2 * round else {
            Issue.record("the password is lost")
            return
        }
        let expected = (max(number - 3, 0)..<number).reversed().map(String.init)
        #expect(try other.formerValues(anna) == expected)
    }

    @Test("former values of an item with an application password are read and restored with it alone")
    func applicationPassword() throws {
        let owner = ScriptedAuthenticator { _ in .secret(SecretBytes(Array("of the item".utf8))) }
        let keychain = store.open(StoreOptions(), authenticator: owner)
        let constraints = try #require(AccessConstraints([.applicationPassword]))
        let control = AccessControl(protection: .whenUnlocked, constraints: constraints)
        #expect(keychain.add("guarded", "one", with: ["accc": .accessControl(control)]) == .done)
        let guarded = try keychain.subject("guarded")
        try keychain.history().keep(2, of: guarded)
        #expect(keychain.update("guarded", "two") == .done)
        #expect(try keychain.formerValues(guarded) == ["one"])
        owner.setAnswer { _ in .secret(SecretBytes(Array("another".utf8))) }
        #expect(throws: KeychainError.self) { try keychain.formerValues(guarded) }
        owner.setAnswer { _ in .secret(SecretBytes(Array("of the item".utf8))) }
        let value = try #require(try keychain.history().values(of: guarded).values.first)
        try keychain.history().restore(value, of: guarded)
        #expect(keychain.secret("guarded") == .secret("one"))
        #expect(try keychain.formerValues(guarded) == ["two", "one"])
    }

    /// A store with a former value and a damaged item, which nothing has open afterwards.
    private func makeDamage(in store: TestStore) throws -> HistoryRequest.Subject {
        let keychain = store.open()
        #expect(keychain.add("anna", "one") == .done && keychain.add("bert", "secret") == .done)
        try keychain.history().keepForAll(4)
        #expect(keychain.update("anna", "two") == .done)
        let raw = try store.raw()
        var bytes = try #require(try raw.run("SELECT metadata FROM items_genp WHERE id = 2")[0])
        bytes[bytes.count / 2] ^= 0x10
        try raw.run("UPDATE items_genp SET metadata = ? WHERE id = 2", [bytes])
        try raw.checkpoint()
        return try keychain.subject("anna")
    }

    @Test("while the item is locked, nothing is known of its former values and nothing is changed")
    func locked() throws {
        let device = try VirtualDevice(storage: .file)
        #expect(device.keychain.add("anna", "one") == .done)
        let anna = try device.keychain.subject("anna")
        try device.keychain.history().keep(5, of: anna)
        #expect(device.keychain.update("anna", "two") == .done)
        let value = try #require(try device.keychain.history().values(of: anna).values.first)
        try device.keychain.device.lock()
        let attempts: [() throws -> Void] = [
            { _ = try device.keychain.history().values(of: anna) },
            { _ = try device.keychain.history().secret(value, of: anna) },
            { try device.keychain.history().restore(value, of: anna) },
            { try device.keychain.history().keep(1, of: anna) }, { try device.keychain.history().clear(anna) },
            { try device.keychain.history().clearAll() }, { try device.keychain.history().keepForAll(0) },
        ]
        for attempt in attempts {
            let failure = #expect(throws: KeychainError.self) { try attempt() }
            #expect(failure?.status == .interactionNotAllowed)
        }
        try device.keychain.device.unlock(passcode: SecretBytes(Array(VirtualDevice.defaultPasscode.utf8)))
        #expect(try device.keychain.formerValues(anna) == ["one"])
    }
}

extension EmbeddedKeychain {
    func history(as client: Client = TestStore.client) -> KeychainHistory { KeychainHistory(self, client: client) }

    /// The item of an account.
    func subject(_ account: String) throws -> HistoryRequest.Subject {
        let query: PropertyDictionary = [
            "class": .string("genp"), "acct": .string(account), "r_PersistentRef": .boolean(true),
        ]
        let answer = try perform(KeychainRequest(.copyMatching(query), client: TestStore.client))
        guard case .single(.data(let reference)) = answer,
            let identifier = ItemIdentifier(persistentReference: reference)
        else { throw KeychainError.unexpectedReply }
        return HistoryRequest.Subject(.genericPassword, identifier)
    }

    /// The former values of an item, the one that was replaced last first.
    func formerValues(_ item: HistoryRequest.Subject, as client: Client = TestStore.client) throws -> [String] {
        try history(as: client).values(of: item).values.map { value in
            let secret = try history(as: client).secret(value, of: item)
            return String(decoding: secret.unprotectedCopy, as: UTF8.self)
        }
    }
}
