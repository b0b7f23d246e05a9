// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import KeychainCore
import KeychainEngine
import KeychainStore
import KeychainTestSupport
import Testing

/// A store that is copied without its log is whole, or an error; never an empty keychain.
struct MissingLogTests {
    /// A copy of the store's file and its root key alone.
    private static func copyWithoutLog(_ store: TestStore) throws -> TestStore {
        var files: [String: [UInt8]] = [:]
        for name in ["keychain.db", "root.key"] { files[name] = try store.bytes(of: name) }
        return try TestStore.of(files)
    }

    /// What a look at such a copy gives; the folder goes with the value.
    private static func inCopy<Result>(_ store: TestStore, _ body: (EmbeddedKeychain) -> Result) throws -> Result {
        let copy = try copyWithoutLog(store)
        return withExtendedLifetime(copy) { body(copy.open()) }
    }

    private static let many = (0..<40).map { "item-\($0)" }

    @Test("a keychain that is let go of leaves a file that is the whole store", arguments: [false, true])
    func wholeAfterClose(_ together: Bool) throws {
        let store = try TestStore()
        var options = StoreOptions()
        (options.makesChangesTogether, options.readerCount) = (together, together ? 3 : 1)
        do {
            let keychain = store.open(options)
            for account in Self.many { #expect(keychain.add(account, "secret") == .done) }
            #expect(keychain.everything() == .accounts(Set(Self.many)))
        }
        #expect(try store.bytes(of: "keychain.db-wal").isEmpty)
        let copy = try Self.copyWithoutLog(store)
        #expect(copy.open().everything() == .accounts(Set(Self.many)))
        #expect(copy.open().add("new", "secret") == .done)
        #expect(try store.open().check().isSound)
    }

    @Test("a copy of an open store without its log is errSecNotAvailable, which names the log and the way out")
    func missing() throws {
        let store = try TestStore()
        let keychain = store.open()
        for account in ["anna", "bert"] {
            #expect(keychain.add(account, "secret") == .done)
            let copy = try Self.copyWithoutLog(store)
            let failure = try #require(copy.open().failure())
            #expect(failure.status == .notAvailable)
            #expect(failure.reason.contains("keychain.db-wal") && failure.reason.contains("SWIFT_KEYCHAIN_MISSING_LOG"))
            #expect(copy.open().add("new", "secret") == .failed(.notAvailable))
            #expect(copy.open().delete("anna") == .failed(.notAvailable))
            #expect(try copy.contents().keys.sorted() == ["keychain.db", "root.key"])
        }
    }

    @Test("a process that is killed leaves the mark and the log, and the next one closes both")
    func killed() throws {
        let store = try TestStore()
        let keychain = store.open()
        #expect(keychain.add("anna", "secret") == .done)
        try keychain.leaveLog()
        #expect(try Self.inCopy(store) { $0.failure()?.status } == .notAvailable)
        // Also one that only reads.
        #expect(store.open().secret("anna") == .secret("secret"))
        #expect(try Self.inCopy(store) { $0.secret("anna") } == .secret("secret"))
    }

    @Test("what a copy without its log has is opened on request, and from then on")
    func accepted() throws {
        let store = try TestStore()
        #expect(store.open().add("anna", "secret") == .done)
        let keychain = store.open()
        #expect(keychain.add("bert", "secret") == .done)
        let copy = try Self.copyWithoutLog(store)
        var options = StoreOptions()
        options.acceptsMissingLog = true
        #expect(copy.open(options).everything() == .accounts(["anna"]))
        #expect(copy.open().add("carl", "secret") == .done)
        #expect(copy.open().everything() == .accounts(["anna", "carl"]))
        #expect(try Self.inCopy(copy) { $0.everything() } == .accounts(["anna", "carl"]))
    }

    @Test("of two that have a store open, the first that closes may leave the log, and the last does not")
    func lastCloses() throws {
        let store = try TestStore()
        let other = store.open()
        #expect(other.add("bert", "secret") == .done)
        do {
            let first = store.open()
            #expect(first.add("anna", "secret") == .done)
        }
        // Written back by the first; the other one goes on, and marks the file again.
        #expect(other.add("carl", "secret") == .done)
        #expect(try Self.inCopy(store) { $0.failure()?.status } == .notAvailable)
        #expect(other.everything() == .accounts(["anna", "bert", "carl"]))
        let reader = try store.raw()
        try reader.execute("BEGIN; SELECT count(*) FROM items_genp")
        #expect(other.add("dora", "secret") == .done)
        try other.leaveLog()
        // Whoever reads keeps the log; it is not waited for.
        do { #expect(store.open().find("dora") == .accounts(["dora"])) }
        #expect(try Self.inCopy(store) { $0.failure()?.status } == .notAvailable)
        try reader.execute("COMMIT")
        do { #expect(store.open().find("dora") == .accounts(["dora"])) }
        #expect(try Self.inCopy(store) { $0.everything() } == .accounts(["anna", "bert", "carl", "dora"]))
    }

    /// What lies beside a marked file instead of its log.
    enum OtherLog: CaseIterable { case none, empty, older, newer, ofAnotherStore }

    /// A copy of a store's file that is marked, with a log that is not its own.
    private static func copy(with log: OtherLog) throws -> TestStore {
        let store = try TestStore()
        #expect(store.open().add("anna", "secret") == .done)
        let keychain = store.open()
        #expect(keychain.add("bert", "secret") == .done)
        let first = try store.contents().mapValues { Array($0) }
        #expect(try keychain.check().isSound)
        try keychain.leaveLog()
        do { #expect(store.open().find("bert") == .accounts(["bert"])) }
        let later = store.open()
        #expect(later.add("carl", "secret") == .done)
        var files = try store.contents().mapValues { Array($0) }
        switch log {
        case .none: files["keychain.db-wal"] = nil
        case .empty: files["keychain.db-wal"] = []
        case .older: files["keychain.db-wal"] = first["keychain.db-wal"]
        case .newer: files["keychain.db"] = first["keychain.db"]
        case .ofAnotherStore:
            let other = try TestStore()
            let keychain = other.open()
            #expect(keychain.add("dora", "secret") == .done)
            files["keychain.db-wal"] = try other.bytes(of: "keychain.db-wal")
        }
        withExtendedLifetime(later) {}
        return try TestStore.of(files)
    }

    @Test(
        "a file beside a log of another time or store, or an empty one, is errSecNotAvailable, and is left as it is",
        arguments: OtherLog.allCases
    )
    func otherLog(_ log: OtherLog) throws {
        let copy = try Self.copy(with: log)
        let before = try copy.contents()
        let failure = try #require(copy.open().failure())
        #expect(failure.status == .notAvailable)
        #expect(failure.reason.contains("keychain.db-wal") && failure.reason.contains("SWIFT_KEYCHAIN_MISSING_LOG"))
        #expect(copy.open().add("new", "secret") == .failed(.notAvailable))
        #expect(try copy.contents() == before)
    }

    @Test(
        "on request a file is used without a log that is not its own, which is set aside",
        arguments: OtherLog.allCases
    )
    func otherLogAccepted(_ log: OtherLog) throws {
        let copy = try Self.copy(with: log)
        var options = StoreOptions()
        options.acceptsMissingLog = true
        let accounts: Set = log == .newer ? ["anna"] : ["anna", "bert"]
        #expect(copy.open(options).everything() == .accounts(accounts))
        let hasLog = log != .none && log != .empty
        #expect(FileManager.default.fileExists(atPath: copy.file("keychain.db-wal.orphan-1")) == hasLog)
        #expect(copy.open().add("new", "secret") == .done)
        #expect(copy.open().everything() == .accounts(accounts.union(["new"])))
        #expect(try copy.open().check().isSound)
    }

    @Test("a program that writes the log back and removes it, as SQLite's own shell does, leaves a whole store")
    func foreignClose() throws {
        let store = try TestStore()
        for (index, account) in ["anna", "bert", "carl"].enumerated() {
            let keychain = store.open()
            #expect(keychain.add(account, "secret") == .done)
            try keychain.leaveLog()
            // The last connection of SQLite writes the log back, and removes it.
            try withExtendedLifetime(store.raw()) { try $0.execute("SELECT count(*) FROM items_genp") }
            #expect(!FileManager.default.fileExists(atPath: store.file("keychain.db-wal")), "\(index)")
            #expect(store.open().secret(account) == .secret("secret"))
        }
    }

    @Test("a log of more than 4 MB is written back while the store is open, and killed processes do not make it longer")
    func longLog() throws {
        let store = try TestStore()
        let large = String(repeating: "x", count: 500_000)
        var sizes: [Int] = []
        for round in 0..<12 {
            let keychain = store.open()
            for index in 0..<3 { #expect(keychain.add("\(round)-\(index)", large) == .done) }
            try keychain.leaveLog()
            sizes.append(try store.bytes(of: "keychain.db-wal").count)
        }
        #expect(sizes.allSatisfy { $0 < 10_000_000 }, "\(sizes)")
        #expect(try store.bytes(of: "keychain.db").count > 12_000_000)
        #expect(try store.open().check().isSound)
    }
}
