// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import Glibc
import KeychainCore
import KeychainHost
import KeychainStore
import KeychainTestSupport
import Testing

struct RestoreBackupTests {
    private let source: StoreFolder
    private let target: StoreFolder
    private let store: Store

    init() throws {
        source = try StoreFolder()
        target = try StoreFolder()
        store = try source.open()
        for itemClass in ItemClass.stored {
            try store.add([
                .sample(itemClass, 1, protection: "aku"), .sample(itemClass, 2, generation: .max),
                .sample(itemClass, 3, protection: "ck", metadata: Array(0...255), secret: []),
                .sample(itemClass, 4, isTombstone: true),
                .sample(itemClass, 5, protection: "dk", secret: Array(repeating: 5, count: 20_000)),
            ])
        }
        _ = try store.writeCopy(
            to: source.directory,
            name: "backup",
            protections: ["ak", "ck", "dk"],
            destroyedGeneration: nil
        ) { (_) throws(KeychainError) in [8, 8] }
    }

    @discardableResult
    private func restore(_ name: String = "backup", _ options: StoreOptions = StoreOptions()) throws -> Int {
        try Store.restoreCopy(
            from: source.path(of: name),
            in: target.directory,
            options: options
        ) { (keybag) throws(KeychainError) in keybag + [7] }
    }

    @Test("a restored store has the rows under their numbers, a new keybag and a new device")
    func restores() throws {
        #expect(try restore() == 3 * ItemClass.stored.count)
        let restored = try target.open(keybag: [])
        #expect(try restored.keybag() == [8, 8, 7])
        #expect(try restored.deviceRecord() == DeviceRecord())
        for itemClass in ItemClass.stored {
            let expected = try store.everyRow(itemClass).filter { $0.row.protection != "aku" }
            let rows = try restored.everyRow(itemClass)
            #expect(rows.map(\.row) == expected.map(\.row))
            #expect(rows.map(\.number) == [2, 3, 4, 5])
        }
        #expect(try restored.structuralDefects() == [])
        #expect(try restored.add([.sample(.key, 50)]))
        #expect(try restored.everyRow(.key).last?.number == 6)
        for name in try target.names() {
            let attributes = try FileManager.default.attributesOfItem(atPath: target.path(of: name))
            #expect(attributes[.posixPermissions] as? Int == 0o600, "\(name)")
        }
    }

    @Test("a restored store has the tables of a new one")
    func hasTheSameTables() throws {
        try restore()
        let tables = "SELECT sql FROM sqlite_schema ORDER BY rowid"
        #expect(try target.raw().run(tables) == source.raw().run(tables))
        #expect(try target.raw().integer("PRAGMA user_version") == source.raw().integer("PRAGMA user_version"))
        #expect(try target.raw().integer("PRAGMA application_id") == source.raw().integer("PRAGMA application_id"))
    }

    @Test("the backup may lie anywhere, and stays as it is", arguments: ["a b", "a?immutable=0&b#c%41", "é"])
    func anyPath(_ name: String) throws {
        let contents = try source.contents(of: "backup")
        let folder = source.path(of: name)
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
        try source.write(contents, to: "\(name)/\(name)")
        try FileManager.default.createSymbolicLink(
            atPath: source.path(of: "link"),
            withDestinationPath: "\(name)/\(name)"
        )
        try FileManager.default.setAttributes([.posixPermissions: 0o444], ofItemAtPath: "\(folder)/\(name)")
        try restore("link")
        #expect(try source.contents(of: "\(name)/\(name)") == contents)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == [name])
    }

    @Test("a folder that has a store keeps it")
    func existing() throws {
        _ = try target.open(keybag: [4])
        let failure = #expect(throws: KeychainError.self) {
            try Store.restoreCopy(
                from: source.path(of: "backup"),
                in: target.directory,
                options: StoreOptions()
            ) { (_) throws(KeychainError) in
                Issue.record("no keybag is needed")
                return []
            }
        }
        #expect(failure?.status == .notAvailable)
        #expect(failure?.kind == .storage(.storeExists))
        #expect(failure?.facts["path"] == target.directory.path)
        #expect(try target.open().keybag() == [4])
    }

    @Test("without a keybag there is no store, and nothing of one")
    func noKeybag() throws {
        let failure = #expect(throws: KeychainError.self) {
            try Store.restoreCopy(
                from: source.path(of: "backup"),
                in: target.directory,
                options: StoreOptions()
            ) { (_) throws(KeychainError) in throw KeychainError(.authenticationFailed, "wrong secret") }
        }
        #expect(failure?.status == .authenticationFailed)
        #expect(try target.names() == ["setup.lock"])
        try restore()
    }

    @Test("rows that are not those of the backup make no store, and are told of in their order")
    func otherRows() throws {
        let numbers = Collected<Int64>()
        let failure = #expect(throws: KeychainError.self) {
            try Store.restoreCopy(
                from: source.path(of: "backup"),
                in: target.directory,
                options: StoreOptions(),
                reseal: { (row) throws(KeychainError) in
                    numbers.append(row.number)
                    return row.row
                },
                checkRows: { () throws(KeychainError) in throw KeychainError(.notAvailable, "other rows") },
                keybag: { (keybag) throws(KeychainError) in keybag }
            )
        }
        #expect(failure?.reason == "other rows")
        #expect(numbers.all == ItemClass.stored.flatMap { _ in [2, 3, 4, 5] as [Int64] })
        #expect(try target.names() == ["setup.lock"])
        try restore()
    }

    @Test("a store that does not fit is not made", arguments: [1, 10, 40])
    func full(_ pageCount: Int) throws {
        var options = StoreOptions()
        options.maximumPageCount = pageCount
        let failure = #expect(throws: KeychainError.self) { try restore("backup", options) }
        #expect(failure?.status == .diskFull)
        #expect(try target.names() == ["setup.lock"])
        try restore()
    }

    @Test("what a process leaves that dies while it restores is replaced")
    func interrupted() throws {
        for suffix in ["", "-wal", "-shm", "-journal"] {
            try target.write(Data([1, 2]), to: "keychain.db.new\(suffix)")
        }
        try target.write(Data(repeating: 7, count: 100), to: "keychain.db-wal")
        try restore()
        #expect(try target.open().structuralDefects() == [])
        #expect(try target.names().filter { $0.hasPrefix("keychain.db.new") } == [])
        #expect(try target.contents(of: "keychain.db-wal.orphan-1") == Data(repeating: 7, count: 100))
    }

    @Test("of many that restore or make a store at once, one does")
    func race() throws {
        let (folder, path, made) = (target.directory, source.path(of: "backup"), Collected<Int>())
        let (restored, refused, others) = (Collected<Int>(), Collected<Int>(), Collected<String>())
        DispatchQueue.concurrentPerform(iterations: 6) { number in
            do throws(KeychainError) {
                let items = try Store.restoreCopy(from: path, in: folder, options: .patient) {
                    (_) throws(KeychainError) in
                    made.append(number)
                    return [1]
                }
                restored.append(items)
            } catch {
                if error.kind == .storage(.storeExists) {
                    refused.append(number)
                } else {
                    others.append("\(error)")
                }
            }
        }
        #expect(others.all == [])
        #expect(restored.all == [3 * ItemClass.stored.count])
        #expect(made.all.count == 1)
        #expect(refused.all.count == 5)
        #expect(try target.open().structuralDefects() == [])
    }

    @Test("a restore that waited for another finds the store of that one, and keeps it")
    func waits() throws {
        let (folder, path, refused) = (target.directory, source.path(of: "backup"), Collected<Bool>())
        let (lockFile, isDone) = (folder.path(of: "setup.lock"), DispatchSemaphore(value: 0))
        let items = try Store.restoreCopy(from: path, in: folder, options: .patient) { (_) throws(KeychainError) in
            Thread.detachNewThread {
                do throws(KeychainError) {
                    _ = try Store.restoreCopy(from: path, in: folder, options: .patient) {
                        (_) throws(KeychainError) in [2]
                    }
                    refused.append(false)
                } catch {
                    refused.append(error.kind == .storage(.storeExists) && error.facts["path"] == folder.path)
                }
                isDone.signal()
            }
            // The other one is past its first look at the folder once it has the lock file open, too.
            let limit = Date(timeIntervalSinceNow: 600)
            while Self.descriptors(of: lockFile) < 2, Date() < limit { usleep(1_000) }
            return [1]
        }
        #expect(isDone.wait(timeout: .now() + 600) == .success)
        #expect(items == 3 * ItemClass.stored.count)
        #expect(refused.all == [true])
        #expect(try target.open().keybag() == [1])
    }

    private static func descriptors(of path: String) -> Int {
        let files = FileManager.default
        let descriptors = (try? files.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
        return descriptors.count { (try? files.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")) == path }
    }
}
