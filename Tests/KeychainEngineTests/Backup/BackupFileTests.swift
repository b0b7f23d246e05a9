// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainCore
import KeychainEngine
import KeychainHost
import KeychainProtection
import KeychainTestSupport
import Testing

/// Keychain files in a backup, and backups as bytes.
struct BackupFileTests {
    private static let secret = SecretBytes(Array("the secret of the backup".utf8))
    private static let floor = ScryptFloor(of: .minimum)

    private let store: TestStore
    private let keychain: EmbeddedKeychain
    private var backup: String { store.folder.path(of: "backup") }

    init() throws {
        store = try TestStore()
        keychain = store.open()
        for account in ["anna", "bert"] { #expect(keychain.add(account, "of \(account)") == .done) }
    }

    /// A file with the header of a keychain file.
    private static func file(_ name: String, _ count: Int = 500, mode: UInt16 = 0o600) -> BackedUpFile {
        var bytes = Array("SQLite format 3\0".utf8) + [UInt8](repeating: 7, count: count)
        bytes.replaceSubrange(68..<72, with: Array("SKCH".utf8))
        return BackedUpFile(name: name, mode: mode, contents: SecretBytes(bytes))
    }

    private static let files = [
        file("~/Library/Keychains/login.keychain-db"), file("/srv/keys/build.keychain", 70_000, mode: 0o640),
    ]

    private func create(_ files: [BackedUpFile] = files) throws -> BackupReport {
        try keychain.maintenance.createBackup(
            BackupRequest(to: .path(backup), secret: .given(Self.secret), files: files)
        ).report
    }

    private func contents() throws -> InspectedBackup {
        try BackupInspection(of: backup).contents(Self.secret, atLeast: Self.floor)
    }

    @Test("keychain files are in the backup byte for byte, with name and mode")
    func holds() throws {
        #expect(try create() == BackupReport(items: 2, files: 2, leftOut: [:], damaged: 0))
        let contents = try contents()
        #expect(contents.files == Self.files)
        #expect(contents.items.map(\.name) == ["service/anna", "service/bert"])
        let outline = try BackupInspection(of: backup).outline()
        #expect(outline.version == "3.1" && outline.files == 2 && outline.items[.genericPassword] == 2)
        let target = try TestStore()
        let report = try EmbeddedKeychain.restoreBackup(
            from: backup,
            secret: Self.secret,
            to: KeychainLocation(path: target.path),
            floor: Self.floor
        )
        #expect(report.items == 2 && report.files == 2)
        #expect(target.open().secret("bert") == .secret("of bert"))
    }

    @Test("neither the names nor the bytes of keychain files are in the clear")
    func sealed() throws {
        _ = try create()
        let bytes = try Data(contentsOf: URL(fileURLWithPath: backup))
        for text in ["login.keychain", "build.keychain", "SKCH"] {
            #expect(bytes.range(of: Data(text.utf8)) == nil, "\(text)")
        }
    }

    @Test("a backup without keychain files has the version and the tables that it had before there were any")
    func former() throws {
        _ = try create([])
        let raw = try RawStore(path: backup)
        #expect(try raw.integer("PRAGMA user_version") == 0x0300)
        #expect(try raw.integer("SELECT count(*) FROM sqlite_schema WHERE name = 'keychain_files'") == 0)
        #expect(try BackupInspection(of: backup).outline().version == "3.0")
    }

    @Test("a backup with keychain files tells programs of the former revision that it is of a later one")
    func later() throws {
        _ = try create()
        #expect(try RawStore(path: backup).integer("PRAGMA user_version") == 0x0101_0301)
    }

    @Test(
        "keychain files that are left out, added, exchanged or altered are noticed, with the backup as a whole",
        arguments: [
            "DELETE FROM keychain_files WHERE id = 2", "DELETE FROM keychain_files",
            "UPDATE keychain_files SET id = 3 WHERE id = 2", "UPDATE keychain_files SET id = -1 WHERE id = 1",
            "UPDATE keychain_files SET sealed = (SELECT sealed FROM keychain_files WHERE id = 1) WHERE id = 2",
            "INSERT INTO keychain_files SELECT 3, sealed FROM keychain_files WHERE id = 1",
            "UPDATE keychain_files SET sealed = randomblob(length(sealed)) WHERE id = 1",
            "UPDATE keychain_files SET sealed = x'' WHERE id = 1",
            "DROP TABLE keychain_files; PRAGMA user_version = \(0x0300)",
            "DELETE FROM items_genp WHERE id = 1",
        ]
    )
    func altered(_ sql: String) throws {
        _ = try create()
        try RawStore(path: backup).execute(sql)
        let failure = #expect(throws: KeychainError.self) { try contents() }
        #expect(failure?.status == .notAvailable && failure?.reason.contains("another") ?? false)
        let target = try TestStore()
        #expect(throws: KeychainError.self) {
            try EmbeddedKeychain.restoreBackup(
                from: backup,
                secret: Self.secret,
                to: KeychainLocation(path: target.path),
                floor: Self.floor
            )
        }
        #expect(!FileManager.default.fileExists(atPath: target.file("keychain.db")))
    }

    @Test("a wrong secret is told from damage")
    func wrongSecret() throws {
        _ = try create()
        let failure = #expect(throws: KeychainError.self) {
            try BackupInspection(of: backup).contents(SecretBytes([1]), atLeast: Self.floor)
        }
        #expect(failure?.status == .authenticationFailed)
    }

    @Test(
        "a file that is no keychain file, has no plain name or is too large is refused, and nothing is written",
        arguments: [
            BackedUpFile(name: "~/x", mode: 0o600, contents: SecretBytes(Array("text".utf8))),
            file("~/../x"), file("~/a/./x"), file("~//x"), file("~/"), file("x"), file("/a\0b"), file(""), file("/"),
            file("/\(String(repeating: "x", count: 5_000))"), file("~/large", BackedUpFile.largestByteCount),
        ]
    )
    func objections(_ file: BackedUpFile) throws {
        let failure = #expect(throws: KeychainError.self) { try create([file]) }
        #expect(failure?.status == .parameter)
        #expect(!FileManager.default.fileExists(atPath: backup))
    }

    @Test("too many files, too many bytes, and one name twice are refused")
    func limits() throws {
        let large = BackedUpFile.largestByteCount - 1_000
        for files in [
            (0..<257).map { Self.file("~/\($0)") }, (0..<3).map { Self.file("~/\($0)", large) },
            [Self.file("~/a"), Self.file("~/a", 600)],
        ] {
            #expect(throws: KeychainError.self) { try create(files) }
        }
    }

    @Test("a backup that is sent is that of a file, and is restored and merged as bytes")
    func sent() throws {
        let made = try keychain.maintenance.createBackup(
            BackupRequest(to: .reply, secret: .given(Self.secret), files: Self.files)
        )
        let bytes = try #require(made.bytes)
        try Data(bytes.unprotectedCopy).write(to: URL(fileURLWithPath: backup))
        #expect(try contents().files == Self.files)
        #expect(try RawStore(path: backup).run("PRAGMA integrity_check") == [Array("ok".utf8)])
        let target = try TestStore()
        let report = try target.open().maintenance.restoreBackup(from: .contents(bytes), secret: Self.secret)
        #expect(report.items == 2 && target.open().secret("anna") == .secret("of anna"))
        let merged = try target.open().maintenance.mergeBackup(
            from: .contents(bytes),
            secret: Self.secret,
            BackupMerge()
        )
        #expect(merged.equal == 2)
    }

    @Test("of an altered file nothing is read, or what was put there", arguments: [1, 2] as [UInt64])
    func alteredBytes(_ seed: UInt64) throws {
        _ = try create()
        let bytes = Array(try Data(contentsOf: URL(fileURLWithPath: backup)))
        var generator = SeededGenerator(seed: seed)
        var device = DeviceOptions()
        device.passwordWork = .minimum
        let target = EmbeddedKeychain.inMemory(device: device)
        for round in 0..<150 {
            var altered = bytes
            // The first page has the schema, and the headers that lead to the rest.
            let range = round.isMultiple(of: 2) ? 0..<4_096 : 0..<bytes.count
            for _ in 0...2 {
                altered[Int.random(in: range, using: &generator)] = .random(in: .min ... .max, using: &generator)
            }
            do throws(KeychainError) {
                let report = try target.maintenance.mergeBackup(
                    from: .contents(SecretBytes(altered)),
                    secret: Self.secret,
                    BackupMerge(isTrial: true)
                )
                #expect(report.added.count == 2)
            } catch {
                #expect([.notAvailable, .authenticationFailed].contains(error.status), "\(error)")
            }
        }
    }

    @Test("bytes that are no backup are refused")
    func otherBytes() throws {
        let bytes = try #require(
            try keychain.maintenance.createBackup(BackupRequest(to: .reply, secret: .given(Self.secret))).bytes
        ).unprotectedCopy
        var wal = bytes
        (wal[18], wal[19]) = (2, 2)
        for image in [[], [1], Array("SQLite format 3\0".utf8), Array(bytes.dropLast()), bytes + [0], wal] {
            let failure = #expect(throws: KeychainError.self) {
                try keychain.maintenance.mergeBackup(
                    from: .contents(SecretBytes(image)),
                    secret: Self.secret,
                    BackupMerge()
                )
            }
            #expect(failure?.status == .notAvailable, "\(image.count)")
        }
    }
}
