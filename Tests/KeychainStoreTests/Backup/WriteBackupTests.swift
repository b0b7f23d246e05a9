// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainCore
import KeychainHost
import KeychainStore
import KeychainTestSupport
import Testing

struct WriteBackupTests {
    private static let kept: Set<String> = ["ak", "ck", "dk"]
    private static let leftOut: [UInt8] = Array(repeating: 0xA7, count: 3_000)

    private let folder: StoreFolder
    private let target: StoreFolder
    private let store: Store

    init() throws {
        folder = try StoreFolder()
        target = try StoreFolder()
        store = try folder.open(keybag: Array(repeating: 0xC5, count: 200))
        for itemClass in ItemClass.stored {
            try store.add([
                .sample(itemClass, 1, protection: "ak"), .sample(itemClass, 2, protection: "ck"),
                .sample(itemClass, 3, protection: "aku", metadata: Self.leftOut),
                .sample(itemClass, 4, protection: "dk", generation: 3, secret: [7, 8]),
                .sample(itemClass, 5, protection: "akpu", generation: 2, secret: Self.leftOut),
                .sample(itemClass, 6, protection: "akpu", generation: 1, secret: Self.leftOut),
                .sample(itemClass, 7, protection: "ak", isTombstone: true, secret: []),
                .sample(itemClass, 8, protection: "cku", isTombstone: true, metadata: Self.leftOut),
                .sample(itemClass, 9, protection: "ak", metadata: Self.leftOut),
            ])
            try store.quarantine(.sample(itemClass, 9))
        }
    }

    @discardableResult
    private func write(_ store: Store, _ keybag: [UInt8] = [9, 9]) throws -> BackupCounts {
        try write(store) { (_) throws(KeychainError) in keybag }
    }

    @discardableResult
    private func write(
        _ store: Store,
        makingKeybag makeKeybag: @escaping (BackupCounts) throws(KeychainError) -> [UInt8]
    ) throws -> BackupCounts {
        try store.writeCopy(
            to: target.directory,
            name: "backup",
            protections: Self.kept,
            destroyedGeneration: 1,
            keybag: makeKeybag
        )
    }

    @Test("a backup holds the rows of the kept classes, and says what it does not hold")
    func holds() throws {
        var expected = BackupCounts()
        let classes = ItemClass.stored.count
        expected.items = 3 * classes
        expected.leftOut = ["aku": classes, "akpu": classes]
        expected.damaged = classes
        var told: BackupCounts?
        let counts = try write(store) { (counts) throws(KeychainError) in
            told = counts
            return [9, 9]
        }
        #expect(counts == expected)
        #expect(told == expected)
        #expect(try target.raw("backup").run("SELECT bytes FROM keybag") == [[9, 9]])
        #expect(try target.raw("backup").integer("PRAGMA application_id") == 0x534B_424B)
        #expect(try target.raw("backup").integer("PRAGMA user_version") == Int(FileVersion.base.recorded))
        for itemClass in ItemClass.stored {
            let numbers = try target.raw("backup").run("SELECT id FROM items_\(itemClass.rawValue) ORDER BY id")
            #expect(numbers.map { $0.map { String(decoding: $0, as: UTF8.self) } } == ["1", "2", "4", "7"])
        }
    }

    @Test("a backup is one private file, complete, with nothing of what was left out")
    func isPrivate() throws {
        try write(store)
        #expect(try target.names() == ["backup"])
        let attributes = try FileManager.default.attributesOfItem(atPath: target.path(of: "backup"))
        #expect(attributes[.posixPermissions] as? Int == 0o600)
        #expect(try folder.holds(Array(repeating: 0xA7, count: 16)))
        #expect(try !target.holds(Array(repeating: 0xA7, count: 16)))
        #expect(try folder.holds(Array(repeating: 0xC5, count: 16)))
        #expect(try !target.holds(Array(repeating: 0xC5, count: 16)))
        #expect(try !target.holds(Array(repeating: 0x66, count: 16)))
        #expect(try target.raw("backup").run("PRAGMA integrity_check") == [Array("ok".utf8)])
    }

    @Test("a store in memory is backed up, too")
    func inMemory() throws {
        let store = try Store(inMemoryWithKeybag: [1])
        try store.add([.sample(.key, 1)])
        #expect(try write(store).items == 1)
        #expect(try target.raw("backup").integer("SELECT count(*) FROM items_keys") == 1)
    }

    @Test("nothing is written over", arguments: ["file", "folder", "link"])
    func existing(_ kind: String) throws {
        let path = target.path(of: "backup")
        switch kind {
        case "file": try target.write(Data([1]), to: "backup")
        case "folder": try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        default: try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: "nothing")
        }
        let failure = #expect(throws: KeychainError.self) { try write(store) }
        #expect(failure?.status == .notAvailable)
        #expect(failure?.reason.contains("already") ?? false)
        #expect(try target.names() == ["backup"])
        if kind == "file" { #expect(try target.contents(of: "backup") == Data([1])) }
    }

    @Test("what takes the name meanwhile is not written over")
    func taken() throws {
        let failure = #expect(throws: KeychainError.self) {
            try write(store) { (_) throws(KeychainError) in
                try? target.write(Data([1]), to: "backup")
                return [1]
            }
        }
        #expect(failure?.reason.contains("already") ?? false)
        #expect(try target.names() == ["backup"])
        #expect(try target.contents(of: "backup") == Data([1]))
    }

    @Test("without a keybag there is no backup, and nothing of one")
    func noKeybag() throws {
        let failure = #expect(throws: KeychainError.self) {
            try write(store) { (_) throws(KeychainError) in throw KeychainError(.interactionNotAllowed, "locked") }
        }
        #expect(failure?.status == .interactionNotAllowed)
        #expect(try target.names() == [])
        #expect(try write(store).items > 0)
    }

    @Test("a row that is not resealed is counted as damaged, and only what was added is told of")
    func reseals() throws {
        let included = Collected<Int64>()
        let counts = try store.writeCopy(
            to: target.directory,
            name: "backup",
            protections: Self.kept,
            destroyedGeneration: 1,
            reseal: { (row) throws(KeychainError) in
                if row.protection == "ck" { return nil }
                var row = row
                row.metadata = [0xAB, 0xCD]
                return row
            },
            include: { _, number in included.append(number) },
            keybag: { (_) throws(KeychainError) in [1] }
        )
        let classes = ItemClass.stored.count
        #expect(counts.items == 2 * classes && counts.damaged == 2 * classes)
        #expect(included.all == ItemClass.stored.flatMap { _ in [1, 4, 7] as [Int64] })
        let backup = try target.raw("backup")
        #expect(try backup.integer("SELECT count(*) FROM items_keys WHERE metadata = x'abcd'") == 3)
        #expect(try backup.integer("SELECT count(*) FROM items_keys WHERE metadata <> x'abcd'") == 0)
    }

    @Test("a backup that does not fit is not made, and the store goes on", arguments: [1, 4, 12])
    func full(_ pageCount: Int) throws {
        var options = StoreOptions()
        options.maximumPageCount = pageCount
        let failure = #expect(throws: KeychainError.self) { try write(folder.open(keybag: [], options)) }
        #expect(failure?.status == .diskFull)
        #expect(try target.names() == [])
        #expect(try write(store).items > 0)
    }

    @Test("another connection writes meanwhile; the backup is of one state")
    func oneState() throws {
        let other = try folder.open()
        let counts = try write(store) { (_) throws(KeychainError) in
            let isAdded = try other.write { (writer) throws(KeychainError) in try writer.insert(.sample(.key, 40)) }
            #expect(isAdded)
            return [1]
        }
        #expect(try target.raw("backup").integer("SELECT count(*) FROM items_keys WHERE tombstone = 0") == 3)
        #expect(counts.items == 3 * ItemClass.stored.count)
    }

    @Test(
        "a row that cannot be restored is counted as damaged, and the others are kept",
        arguments: [
            "uuid = x'00'", "uuid = 'text'", "pk = x''", "version = 1", "tombstone = 2", "generation = -1",
            "generation = 'x'", "protection = x'616b'", "metadata = 'text'", "secret = 1", "t_labl = x'00'",
            "t_labl = 1", "id = -5", "id = 9223372036854775807",
        ]
    )
    func damaged(_ assignment: String) throws {
        let sound = try write(store)
        try FileManager.default.removeItem(atPath: target.path(of: "backup"))
        try folder.raw().execute("UPDATE items_keys SET \(assignment) WHERE id = 1")
        let counts = try write(store)
        #expect(counts.items == sound.items - 1)
        #expect(counts.damaged == sound.damaged + 1)
        #expect(counts.leftOut == sound.leftOut)
    }

    @Test("two rows of one identifier or primary key do not make the backup useless", arguments: ["uuid", "pk"])
    func twice(_ column: String) throws {
        let sound = try write(store)
        try FileManager.default.removeItem(atPath: target.path(of: "backup"))
        try folder.raw().execute("DROP INDEX items_keys_\(column)")
        try folder.raw().execute(
            "UPDATE items_keys SET \(column) = (SELECT \(column) FROM items_keys WHERE id = 2) WHERE id = 4"
        )
        let counts = try write(store)
        #expect(counts.items == sound.items - 1)
        #expect(counts.damaged == sound.damaged + 1)
    }
}
