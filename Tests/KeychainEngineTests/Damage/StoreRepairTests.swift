// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import KeychainCore
import KeychainEngine
import KeychainHost
import KeychainStore
import KeychainTestSupport
import Synchronization
import Testing

/// What a check says, and what a repair does, beyond pages.
struct StoreRepairTests {
    /// A store with some items, all of whose bytes lie in the file.
    private func makeStore(_ accounts: [String] = ["anna", "bert", "carl"]) throws -> TestStore {
        let store = try TestStore()
        let keychain = store.open()
        for account in accounts { try #require(keychain.add(account, "secret of \(account)") == .done) }
        try store.checkpoint()
        return store
    }

    /// Closes the file again, so that it can be replaced.
    private func flipBit(of column: String, in place: String, of store: TestStore) throws {
        let raw = try store.raw()
        var bytes = try #require(try raw.run("SELECT \(column) FROM \(place)")[0])
        bytes[bytes.count / 2] ^= 0x10
        try raw.run("UPDATE \(place.replacing(" WHERE", with: " SET \(column) = ? WHERE"))", [bytes])
        try raw.checkpoint()
    }

    @Test("a sound store is sound, with and without a log, and a check changes nothing", arguments: [false, true])
    func sound(_ hasLog: Bool) throws {
        let store = try makeStore()
        let keychain = store.open()
        if hasLog {
            #expect(keychain.add("dora", "secret of dora") == .done)
            try keychain.leaveLog()
        }
        let before = try store.contents()
        let report = try store.check()
        #expect(report.verdict == .sound && report.findings.isEmpty && report.intactRows == (hasLog ? 4 : 3))
        let outcome = try store.repair().run(date: "D") { _ in
            Issue.record("nothing is to be confirmed")
            return true
        }
        #expect(!outcome.isNeeded && !outcome.isDone && outcome.kept.isEmpty)
        #expect(try store.contents() == before)
    }

    @Test(
        "a repair that runs out of room leaves neither the new file nor a copy, and the store as it was",
        arguments: [
            ("keychain.db.damaged-D.new", false), ("keychain.db.damaged-D-wal.new", true),
            ("keychain.db.joined.new", true),
        ]
    )
    func noRoom(_ name: String, _ hasLog: Bool) throws {
        let origin = try makeStore()
        let keychain = origin.open()
        if hasLog {
            #expect(keychain.add("dora", "secret of dora") == .done)
            try keychain.leaveLog()
        }
        let raw = try origin.raw()
        try raw.execute("PRAGMA wal_autocheckpoint = 0; DROP INDEX items_genp_acct")
        if !hasLog { try raw.checkpoint() }
        var files = try origin.contents().mapValues { Array($0) }
        files["keychain.db-shm"] = [UInt8](repeating: 0, count: 32_768)
        let store = try TestStore.of(files)
        // A folder in the place of a file fails as a full disk does, also for root.
        #expect(mkdir(store.file(name), 0o700) == 0)
        #expect(throws: KeychainError.self) { try store.repair().run(date: "D") { _ in true } }
        let names = try FileManager.default.contentsOfDirectory(atPath: store.path).filter { left in
            left != name
                && ["keychain.db.new", "keychain.db.damaged", "keychain.db.joined"].contains { left.hasPrefix($0) }
        }
        #expect(names.isEmpty)
        #expect(rmdir(store.file(name)) == 0)
        #expect(try store.repair().run(date: "D") { _ in true }.isDone)
        #expect(store.accounts() == (hasLog ? ["anna", "bert", "carl", "dora"] : ["anna", "bert", "carl"]))
    }

    @Test("rows are read from pages as SQLite reads them", arguments: [false, true])
    func rowsOfPages(_ hasLog: Bool) throws {
        let store = try makeStore((0..<40).map { "account \($0)" })
        let keychain = store.open()
        for number in stride(from: 0, to: 40, by: 3) { _ = keychain.update("account \(number)", "other \(number)") }
        #expect(keychain.add("large", String(repeating: "z", count: 70_000)) == .done)
        _ = keychain.delete("account 7")
        try keychain.leaveLog()
        if !hasLog { try store.checkpoint() }
        let folder = try #require(try PrivateDirectory(existing: KeychainLocation(path: store.path)))
        var salvaged: [Int64: StoredRow] = [:]
        let file = try SalvagedStore(in: folder)
        try file.forEachRow { salvaged[$0.row.number] = $0.isWellFormed ? $0.row.row : nil }
        #expect(file.lostPages == 0 && file.lostCells == 0)
        let read = try Store.open(in: folder, options: StoreOptions()) { [] }
        let rows = try read.read { (reader) throws(KeychainError) in try reader.everyRow(RowFilter(.genericPassword)) }
        #expect(salvaged == Dictionary(uniqueKeysWithValues: rows.map { ($0.number, $0.row) }))
        #expect(try file.keybag == read.keybag())
    }

    @Test("nothing of a store of a later revision is called damage, and the report says whether its items can be read")
    func laterRevision() throws {
        let store = try makeStore()
        for (readers, canBeRead) in [(0, true), (9, false)] {
            let version = readers << 24 | 9 << 16 | 0x0309
            try store.raw().execute("PRAGMA user_version = \(version)")
            let report = try store.check()
            #expect(report.verdict == .unreadable && report.findings.isEmpty && report.damagedItems.isEmpty)
            #expect(report.obstacle?.contains("written by a newer version") == true)
            #expect(report.obstacle?.contains("its items can be read here") == canBeRead, "\(report.obstacle ?? "")")
        }
    }

    @Test(
        "one wrong bit of a column is found, and put right",
        arguments: [
            "uuid", "version", "pk", "t_acct", "t_agrp", "t_mdat", "metadata", "secret",
        ]
    )
    func wrongBit(_ column: String) throws {
        let store = try makeStore()
        try flipBit(of: column, in: "items_genp WHERE id = 2", of: store)
        let report = try store.check()
        #expect(report.verdict == .damaged && report.intactRows == 2)
        #expect(report.damagedItems.map(\.fate) == [.mendable])
        // Who repairs should know which item to look at afterwards.
        #expect(report.damagedItems.map { $0.names[.account] } == ["bert"])
        let outcome = try store.repair().run(date: "D") { _ in true }
        #expect(outcome.isDone && outcome.returnedRows == 1 && outcome.lostItems.isEmpty)
        #expect(try store.check().verdict == .sound)
        #expect(store.open().secret("bert") == .secret("secret of bert"))
        #expect(store.accounts() == ["anna", "bert", "carl"])
    }

    @Test(
        "a wrong protection class, generation or mark of a deleted item is put right",
        arguments: ["protection = 'cku'", "generation = 7", "tombstone = 1", "protection = 'dk', generation = 3"]
    )
    func wrongClearColumn(_ assignment: String) throws {
        let store = try makeStore()
        try store.raw().execute("UPDATE items_genp SET \(assignment) WHERE id = 2")
        #expect(try store.check().verdict == .damaged)
        #expect(try store.repair().run(date: "D") { _ in true }.returnedRows == 1)
        #expect(store.open().secret("bert") == .secret("secret of bert"))
        #expect(try store.check().verdict == .sound)
    }

    @Test("an item whose secret is lost is named by its attributes, and nothing of it becomes readable")
    func lostSecret() throws {
        let store = try makeStore()
        try store.raw().execute("UPDATE items_genp SET secret = randomblob(60), damage = 2 WHERE id = 2")
        let report = try store.check()
        let item = try #require(report.damagedItems.first)
        #expect(item.fate == .lost && item.isQuarantined && item.names[.account] == "bert")
        let outcome = try store.repair().run(date: "D") { $0.lostItems.count == 1 }
        #expect(outcome.isDone && outcome.rows == 2)
        #expect(store.accounts() == ["anna", "carl"])
        #expect(store.open().add("bert", "new") == .done)
        // The former store has it still.
        let kept = try RawStore(path: store.file("keychain.db.damaged-D"))
        #expect(try kept.integer("SELECT count(*) FROM items_genp") == 3)
    }

    @Test("a repaired store has the recovery key of the former one, and declares it to programs that know of none")
    func recoveryKey() throws {
        let store = try makeStore()
        let key = RecoveryKey.random()
        try store.open().device.createRecoveryKey(key, passcode: nil)
        try store.raw().execute("DROP INDEX items_genp_acct")
        #expect(try store.repair().run(date: "D") { _ in true }.isDone)
        let keychain = store.open()
        let status = try keychain.maintenance.storeStatus()
        #expect(status.features.map(\.name) == ["recovery-key"] && status.file?.readerRevision == 1)
        try keychain.device.checkRecoveryKey(key)
        #expect(try store.check().verdict == .sound)
    }

    @Test("an item in quarantine that opens comes back, and one that is locked stays there")
    func quarantine() throws {
        let store = try makeStore()
        try store.raw().execute("UPDATE items_genp SET damage = 1 WHERE id = 2")
        #expect(try store.check().damagedItems.map(\.fate) == [.opens])
        #expect(try store.repair().run(date: "D") { _ in true }.returnedRows == 1)
        #expect(store.accounts() == ["anna", "bert", "carl"])
        let passcode = SecretBytes(Array("1234".utf8))
        try store.open().device.setPasscode(passcode)
        try store.raw().execute("UPDATE items_genp SET damage = 1 WHERE id = 2")
        let locked = try store.check()
        #expect(locked.lockedRows == 3 && locked.damagedItems.map(\.fate) == [.locked])
        #expect(try !store.repair().run(date: "E") { _ in true }.isDone)
        let unlocked = try store.check(passcode: passcode)
        #expect(unlocked.lockedRows == 0 && unlocked.damagedItems.map(\.fate) == [.opens])
        #expect(try store.repair().run(passcode: passcode, date: "E") { _ in true }.isDone)
        #expect(try store.check(passcode: passcode).verdict == .sound)
    }

    @Test("a wrong passcode counts as an attempt, and nothing is checked by it")
    func wrongPasscode() throws {
        let store = try makeStore()
        try store.open().device.setPasscode(SecretBytes(Array("1234".utf8)))
        #expect(throws: KeychainError.self) { try store.check(passcode: SecretBytes([9])) }
        #expect(try store.open().device.status().failedAttempts == 1)
    }

    @Test("without its root key nothing opens, and the ways out are named", arguments: [false, true])
    func lostRootKey(_ isForeign: Bool) throws {
        let store = try makeStore()
        if isForeign {
            try store.write([UInt8](repeating: 7, count: 32), to: "root.key")
        } else {
            try FileManager.default.removeItem(atPath: store.file("root.key"))
        }
        let before = try store.contents()
        for report in [try store.check(), try store.repair().run(date: "D") { _ in true }.before] {
            #expect(report.verdict == .unreadable)
            let obstacle = try #require(report.obstacle)
            for words in ["recovery-key use", "backup verify", "backup list", "backup restore"] {
                #expect(obstacle.contains(words))
            }
        }
        #expect(try store.contents() == before)
    }

    @Test("damaged keys are damage, and no repair pretends to have them back")
    func damagedKeybag() throws {
        let store = try makeStore()
        try flipBit(of: "bytes", in: "keybag WHERE id = 1", of: store)
        let report = try store.check()
        #expect(report.verdict == .damaged && report.findings.contains { $0.part == .keybag })
        #expect(try !store.repair().run(date: "D") { _ in true }.isDone)
    }

    @Test("a damaged record of the device is made anew, and the items stay")
    func damagedDevice() throws {
        let store = try makeStore()
        try store.raw().execute("UPDATE device SET failed_attempts = -3")
        #expect(try store.check().findings.map(\.part) == [.device])
        #expect(try store.repair().run(date: "D") { _ in true }.isDone)
        #expect(try store.check().verdict == .sound && store.accounts().count == 3)
        #expect(try store.open().device.status().failedAttempts == 0)
    }

    @Test(
        "an index, a table or a trigger that does not belong there is found, and goes",
        arguments: [
            "CREATE TABLE more (x)", "DROP INDEX items_genp_acct",
            "CREATE TRIGGER t AFTER INSERT ON items_genp BEGIN DELETE FROM items_genp; END",
            "CREATE VIEW v AS SELECT 1",
        ]
    )
    func declarations(_ change: String) throws {
        let store = try makeStore()
        try store.raw().execute(change)
        #expect(try store.check().findings.contains { $0.part == .structure })
        #expect(try store.repair().run(date: "D") { _ in true }.isDone)
        #expect(try store.check().verdict == .sound && store.accounts() == ["anna", "bert", "carl"])
    }

    /// A log that is not as it was.
    enum Log: CaseIterable {
        case missing, foreign, noise, wrongPage
    }

    @Test("a log that lost changes is repaired on request only", arguments: Log.allCases)
    func log(_ log: Log) throws {
        let store = try makeStore()
        let keychain = store.open()
        for account in ["dora", "emil"] { #expect(keychain.add(account, "secret of \(account)") == .done) }
        try keychain.leaveLog()
        var files = try store.contents().mapValues { Array($0) }
        switch log {
        case .missing: files["keychain.db-wal"] = nil
        case .foreign:
            let other = try makeStore()
            let others = other.open()
            #expect(others.add("other", "secret") == .done)
            try others.leaveLog()
            files["keychain.db-wal"] = try other.bytes(of: "keychain.db-wal")
        case .noise: files["keychain.db-wal"] = [UInt8](repeating: 0x55, count: 20_000)
        case .wrongPage: files["keychain.db-wal"]?[32 + 24 + 100] ^= 1
        }
        let damaged = try TestStore.of(files)
        #expect(try damaged.check().findings.map(\.part) == [.log])
        #expect(throws: KeychainError.self) { try damaged.repair().run(date: "D") { _ in true } }
        #expect(try damaged.bytes(of: "keychain.db") == files["keychain.db"])
        let outcome = try damaged.repair().run(acceptsLostLog: true, date: "D") { _ in true }
        #expect(outcome.isDone)
        #expect(outcome.kept == ["keychain.db.damaged-D"] + (log == .missing ? [] : ["keychain.db.damaged-D-wal"]))
        #expect(try damaged.check().verdict == .sound)
        let found = damaged.accounts()
        #expect(
            found.isSuperset(of: ["anna", "bert", "carl"])
                && found.isSubset(of: ["anna", "bert", "carl", "dora", "emil"])
        )
        for name in outcome.kept {
            let mode = try FileManager.default.attributesOfItem(atPath: damaged.file(name))[.posixPermissions] as? Int
            #expect(mode == 0o600)
        }
    }

    @Test("a process that is killed at any step leaves the former store or the new one", arguments: [false, true])
    func killed(_ hasLog: Bool) throws {
        let store = try makeStore()
        let keychain = store.open()
        if hasLog {
            #expect(keychain.add("dora", "secret of dora") == .done)
            try keychain.leaveLog()
        }
        let accounts: Set = hasLog ? ["anna", "bert", "carl", "dora"] : ["anna", "bert", "carl"]
        // The last connection that is closed would write the log back.
        let raw = try store.raw()
        try raw.execute("PRAGMA wal_autocheckpoint = 0; DROP INDEX items_genp_acct")
        if !hasLog { try raw.checkpoint() }
        var files = try store.contents().mapValues { Array($0) }
        #expect((files["keychain.db-wal"] != nil) == hasLog)
        files["keychain.db-shm"] = [UInt8](repeating: 0, count: 32_768)
        let damaged = try TestStore.of(files)
        let snapshots = Mutex<[(step: String, files: [String: [UInt8]])]>([])
        var repair = damaged.repair()
        repair.willChange = { step in
            let files = try? damaged.contents().mapValues { Array($0) }
            snapshots.withLock { $0.append((step, files ?? [:])) }
        }
        #expect(try repair.run(date: "D") { _ in true }.isDone)
        let steps = snapshots.withLock(\.self)
        #expect(steps.count >= (hasLog ? 7 : 5))
        for (step, files) in steps {
            let left = try TestStore.of(files)
            let report = try left.check()
            let isFormer = report.findings.contains { $0.part == .structure }
            #expect(report.verdict == (isFormer ? .damaged : .sound), "before: \(step)")
            #expect(!report.findings.contains { $0.part == .log }, "before: \(step)")
            #expect(report.intactRows == accounts.count, "before: \(step)")
            // Another repair begins anew.
            _ = try left.repair().run(date: "E") { _ in true }
            #expect(try left.check().verdict == .sound, "before: \(step)")
            #expect(left.accounts() == accounts, "before: \(step)")
        }
    }

    @Test("a store that a process uses is not repaired, and a check reads it")
    func inUse() throws {
        let store = try makeStore()
        try store.raw().execute("DROP INDEX items_genp_acct")
        let before = try store.bytes(of: "keychain.db")
        // From here on no test may close the file itself, which would drop the locks of this process.
        let other = try store.raw()
        try other.execute("BEGIN; SELECT * FROM items_genp")
        #expect(try store.check().verdict == .damaged)
        let failure = #expect(throws: KeychainError.self) { try store.repair().run(date: "D") { _ in true } }
        #expect(failure?.reason.contains("in use by process") == true)
        try other.execute("COMMIT")
        #expect(try store.bytes(of: "keychain.db") == before)
    }

    @Test("without a confirmation nothing is changed, and a plan changes nothing")
    func refused() throws {
        let store = try makeStore()
        try store.raw().execute("UPDATE items_genp SET damage = 1 WHERE id = 2")
        try store.raw().checkpoint()
        let before = try store.contents()
        #expect(try store.repair().plan().returnedRows == 1)
        #expect(try !store.repair().run(date: "D") { _ in false }.isDone)
        #expect(try store.contents().filter { $0.key != "setup.lock" } == before.filter { $0.key != "setup.lock" })
    }

    @Test("links under the names that a repair makes lead nowhere")
    func links() throws {
        let store = try makeStore()
        try store.raw().execute("UPDATE items_genp SET damage = 1 WHERE id = 2")
        let victim = store.folder.path(of: "victim")
        try Data("precious".utf8).write(to: URL(fileURLWithPath: victim))
        let names = [
            "keychain.db.new", "keychain.db.new-wal", "keychain.db.joined", "keychain.db.joined.new",
            "keychain.db.damaged-D", "keychain.db.damaged-D.new", "keychain.db.damaged-D-wal",
        ]
        for name in names {
            try FileManager.default.createSymbolicLink(atPath: store.file(name), withDestinationPath: victim)
        }
        let outcome = try store.repair().run(date: "D") { _ in true }
        #expect(outcome.isDone && outcome.kept.first == "keychain.db.damaged-D-2")
        #expect(try String(contentsOfFile: victim, encoding: .utf8) == "precious")
        #expect(store.accounts() == ["anna", "bert", "carl"])
    }

    @Test("files that others can read, and those of another kind, are found")
    func modes() throws {
        let store = try makeStore()
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: store.file("root.key"))
        #expect(try store.check().findings.contains { $0.part == .folder && $0.remedy?.contains("chmod 600") == true })
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: store.file("root.key"))
        try store.write([], to: "keychain.db.new")
        let report = try store.check()
        #expect(report.verdict == .sound && report.findings.map(\.part) == [.remains])
    }

    @Test("a folder without a keychain, and a file that is none, are not readable")
    func none() throws {
        let store = try TestStore()
        #expect(try store.check().verdict == .unreadable)
        let noise = try TestStore.of(["keychain.db": [UInt8](repeating: 3, count: 9_000)])
        #expect(try noise.check().verdict == .unreadable)
        #expect(try !noise.repair().run(date: "D") { _ in true }.isDone)
    }
}
