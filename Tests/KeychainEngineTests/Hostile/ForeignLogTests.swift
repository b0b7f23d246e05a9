// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainCore
import KeychainEngine
import KeychainTestSupport
import Testing

/// A log, or an index of a log, that is not the store's own: SQLite takes any log whose checksums are right, and
/// nothing in it tells to which database it belongs.
struct ForeignLogTests {
    /// Files of a store whose items lie in its log, and of the same store once the log was written back; the secret is
    /// what the items of this store hold.
    private struct Files {
        var logged: [String: [UInt8]]
        var writtenBack: [String: [UInt8]]

        init(_ accounts: [String], secret: String) throws {
            let store = try TestStore()
            let keychain = store.open()
            for account in accounts { #expect(keychain.add(account, "\(secret) of \(account)") == .done) }
            try keychain.leaveLog()
            logged = try store.contents().mapValues { Array($0) }
            logged["keychain.db-shm"] = try store.bytes(of: "keychain.db-shm")
            try store.checkpoint()
            writtenBack = try store.contents().mapValues { Array($0) }
        }
    }

    private static let errors: Set<Status> = [.notAvailable, .decode, .itemNotFound, .duplicateItem]

    /// Whether an answer is right, or an error that damage may have.
    private static func isSafe(_ answer: Answer, _ right: Answer) -> Bool {
        guard case .failed(let status) = answer else { return answer == right }
        return errors.contains(status)
    }

    private static func expectSafeAnswers(_ store: TestStore, _ accounts: [String], secret: String) {
        for _ in 0..<2 {
            let keychain = store.open()
            for account in accounts {
                let answer = keychain.secret(account)
                #expect(isSafe(answer, .secret("\(secret) of \(account)")), "\(answer)")
            }
            if case .accounts(let found) = keychain.everything() { #expect(found.isSubset(of: accounts + ["new"])) }
            #expect(isSafe(keychain.add("new", "\(secret) of new"), .done))
            _ = try? keychain.check()
        }
    }

    @Test("the log of another keychain gives nothing of it, and nothing wrong", arguments: [false, true])
    func otherStore(_ ownLogIsThere: Bool) throws {
        let own = try Files(["anna", "bert"], secret: "own")
        let other = try Files(["anna", "bert", "carl", "dora"], secret: "other")
        var files = ownLogIsThere ? own.logged : own.writtenBack
        files["keychain.db-wal"] = other.logged["keychain.db-wal"]
        files["keychain.db-shm"] = other.logged["keychain.db-shm"]
        let store = try TestStore.of(files)
        Self.expectSafeAnswers(store, ["anna", "bert"], secret: "own")
    }

    @Test("the log that makes another keychain of it is errSecNotAvailable, and is not written into the store")
    func otherKeybag() throws {
        let own = try Files(["anna", "bert"], secret: "own")
        // Every page of the other store lies in its log.
        let other = try TestStore.of(try Files(["carl"], secret: "other").writtenBack)
        try other.raw().execute("PRAGMA journal_mode = DELETE; VACUUM; PRAGMA journal_mode = WAL")
        let raw = try other.raw()
        try raw.execute("PRAGMA wal_autocheckpoint = 0; VACUUM")
        var files = own.writtenBack
        files["keychain.db-wal"] = try other.bytes(of: "keychain.db-wal")
        let store = try TestStore.of(files)
        for _ in 0..<2 {
            #expect(store.open().failure()?.status == .notAvailable)
            #expect(store.open().add("new", "secret") == .failed(.notAvailable))
            #expect(store.open().delete("anna") == .failed(.notAvailable))
        }
        #expect(try store.bytes(of: "keychain.db") == own.writtenBack["keychain.db"])
        for name in ["keychain.db-wal", "keychain.db-shm"] {
            try FileManager.default.removeItem(atPath: store.file(name))
        }
        #expect(store.open().everything() == .accounts(["anna", "bert"]))
    }

    @Test("an older log of the same keychain is a state of before: not defended")
    func olderLog() throws {
        let store = try TestStore()
        let keychain = store.open()
        #expect(keychain.add("anna", "secret") == .done)
        let older = try store.contents().mapValues { Array($0) }
        #expect(keychain.add("bert", "secret") == .done)
        var files = try store.contents().mapValues { Array($0) }
        files["keychain.db-wal"] = older["keychain.db-wal"]
        let putBack = try TestStore.of(files)
        #expect(putBack.open().everything() == .accounts(["anna"]))
        #expect(putBack.open().secret("anna") == .secret("secret"))
    }

    @Test("what somebody writes into the log is judged as if it were in the store")
    func forged() throws {
        let own = try Files(["anna", "bert"], secret: "own")
        for change in [
            "UPDATE items_genp SET secret = (SELECT secret FROM items_genp WHERE id = 2) WHERE id = 1",
            "UPDATE items_genp SET metadata = randomblob(100)", "UPDATE keybag SET bytes = randomblob(500)",
            "CREATE TRIGGER t AFTER INSERT ON items_genp BEGIN DELETE FROM items_genp; END",
            "DROP TABLE device", "DELETE FROM items_genp",
        ] {
            let forger = try TestStore.of(own.writtenBack)
            let raw = try forger.raw()
            try raw.execute("PRAGMA wal_autocheckpoint = 0; " + change)
            var files = own.writtenBack
            files["keychain.db-wal"] = try forger.bytes(of: "keychain.db-wal")
            let store = try TestStore.of(files)
            Self.expectSafeAnswers(store, ["anna", "bert"], secret: "own")
        }
    }

    @Test("an index of another log, or of none, is not believed by the first to open the store", arguments: 0..<4)
    func index(_ number: Int) throws {
        let own = try Files(["anna", "bert"], secret: "own")
        let other = try Files(["anna", "bert", "carl", "dora"], secret: "other")
        let index = try #require(other.logged["keychain.db-shm"])
        let indexes = [index, Array(index.reversed()), Array(repeating: 0xFF, count: index.count), []]
        for var files in [own.logged, own.writtenBack] {
            files["keychain.db-shm"] = indexes[number]
            let store = try TestStore.of(files)
            #expect(store.open().everything() == .accounts(["anna", "bert"]))
            #expect(store.open().add("new", "secret") == .done)
            #expect(try store.open().check().isSound)
        }
    }
}
