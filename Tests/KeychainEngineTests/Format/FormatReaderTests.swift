// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainCore
import KeychainEngine
import KeychainHost
import KeychainProtection
import KeychainTestSupport
import Testing

/// A reader in another language, written from Documentation/Format.md alone: it opens what the engine made, and the
/// engine and it say the same.
struct FormatReaderTests {
    private let folder: TemporaryFolder
    private var path: String { folder.path(of: "keychain") }

    init() throws { folder = try TemporaryFolder() }

    @Test("a store without a passcode, with items of every class")
    func store() throws {
        let keychain = EmbeddedKeychain(at: KeychainLocation(path: path))
        try SampleItems.fill(keychain)
        try expectTheSame(Self.read(["store": path]), keychain, passcode: nil)
    }

    @Test("items with lookup attributes, and what is listed of them beside the rows")
    func lookupAttributes() throws {
        let keychain = EmbeddedKeychain(at: KeychainLocation(path: path))
        try SampleItems.fill(keychain)
        try keychain.store(["service": "S", "user": "é", "": ""], "secret", label: "a label")
        try keychain.store(["xdg:schema": "org.git.Password", "server": "h"], "", label: "")
        try keychain.store(["service": "always"], "secret")
        try keychain.updateService("always", ["pdmn": .string("dku")])
        let rows = try Self.read(["store": path])
        #expect(rows.count { $0.attributes?["lkup"] != nil } == 3)
        let report = try keychain.check()
        #expect(report.isSound && report.intactRows == rows.count)
    }

    @Test("a store with a passcode, items of every level and kind of access control, and one under a password")
    func storeWithPasscode() throws {
        let keychain = try GuardedItems.make(in: path)
        let rows = try Self.read(Self.secrets.merging(["store": path]) { $1 })
        #expect(rows.allSatisfy { $0.state == "open" })
        try expectTheSame(rows, keychain, passcode: GuardedItems.passcode)
        // Without the passcode only what is always available opens, and the password changes nothing about it.
        let locked = try Self.read(["store": path, "passwords": Self.secrets["passwords"] ?? []])
        #expect(locked.count == rows.count)
        for row in locked { #expect((row.state == "open") == ["dk", "dku"].contains(row.protection)) }
        // Without the password its item does not open.
        let closed = try Self.read(["store": path, "passcode": "1234"])
        #expect(closed.filter { $0.state == "password" }.count == 1)
    }

    @Test("a store with a recovery key, by that alone and by everything else", arguments: [true, false])
    func storeWithRecoveryKey(_ hasPasscode: Bool) throws {
        let keychain: EmbeddedKeychain
        if hasPasscode {
            keychain = try GuardedItems.make(in: path)
        } else {
            keychain = EmbeddedKeychain(at: KeychainLocation(path: path))
            try SampleItems.fill(keychain)
        }
        let passcode = hasPasscode ? GuardedItems.passcode : nil
        let secrets = hasPasscode ? Self.secrets : [:]
        let expected = try Self.read(secrets.merging(["store": path]) { $1 })
        let key = RecoveryKey.random()
        try keychain.device.createRecoveryKey(key, passcode: passcode)
        #expect(try Self.read(secrets.merging(["store": path]) { $1 }) == expected)
        // Neither passcode nor root key.
        try FileManager.default.moveItem(atPath: "\(path)/root.key", toPath: folder.path(of: "root.key"))
        let text = String(decoding: key.text.unprotectedCopy, as: UTF8.self)
        var request: [String: Any] = ["store": path, "recovery": text, "passwords": secrets["passwords"] ?? []]
        #expect(try Self.read(request) == expected)
        request["recovery"] = String(decoding: RecoveryKey.random().text.unprotectedCopy, as: UTF8.self)
        #expect(throws: Workshop.Failure.self) { try Self.read(request) }
    }

    @Test("a backup, whose rows are authenticated as a set, and what is restored of it")
    func backup() throws {
        let keychain = try GuardedItems.make(in: path)
        let backup = folder.path(of: "backup")
        let secret = "of the backup"
        let report = try keychain.createBackup(at: backup, secret: SecretBytes(Array(secret.utf8)))
        let request = Self.secrets.merging(["backup": backup, "secret": secret]) { $1 }
        let rows = try Self.read(request)
        #expect(rows.count == report.items && rows.allSatisfy { $0.state == "open" })
        let expected = try Self.read(Self.secrets.merging(["store": path]) { $1 })
            .filter { ["ak", "ck", "dk"].contains($0.protection) }
        #expect(rows == expected)
        let restored = folder.path(of: "restored")
        _ = try EmbeddedKeychain.restoreBackup(
            from: backup,
            secret: SecretBytes(Array(secret.utf8)),
            to: KeychainLocation(path: restored)
        )
        let again = try Self.read(Self.secrets.merging(["store": restored, "digests": false]) { $1 })
        #expect(again == expected)
        // A row less, and it refuses the whole.
        try RawStore(path: backup).execute("DELETE FROM items_genp WHERE id = (SELECT max(id) FROM items_genp)")
        #expect(throws: Workshop.Failure.self) { try Self.read(request) }
    }

    @Test("the keychain files of a backup, which are authenticated with its rows")
    func backupFiles() throws {
        let keychain = try GuardedItems.make(in: path)
        let backup = folder.path(of: "backup")
        var bytes = Array("SQLite format 3\0".utf8) + [UInt8](repeating: 7, count: 1_000)
        bytes.replaceSubrange(68..<72, with: Array("SKCH".utf8))
        let files = ["~/Library/Keychains/é.keychain-db", "/srv/b"].map {
            BackedUpFile(name: $0, mode: 0o640, contents: SecretBytes(bytes))
        }
        let secret = SecretBytes(Array("of the backup".utf8))
        _ = try keychain.maintenance.createBackup(
            BackupRequest(to: .path(backup), secret: .given(secret), files: files)
        )
        let request = Self.secrets.merging(["backup": backup, "secret": "of the backup"]) { $1 }
        let hexadecimal = bytes.map { String(format: "%02x", $0) }.joined()
        let read = try Self.lines(request).compactMap { try? JSONDecoder().decode(File.self, from: $0) }
        #expect(read == files.map { File(file: $0.name, mode: 0o640, bytes: hexadecimal) })
        try RawStore(path: backup).execute("DELETE FROM keychain_files WHERE id = 2")
        #expect(throws: Workshop.Failure.self) { try Self.lines(request) }
    }

    @Test(
        "the released stores, and the backup of one",
        arguments: ["format-2", "format-2-passcode", "format-3", "format-3-passcode"]
    )
    func released(_ name: String) throws {
        let source = ReleasedStoreTests.source(name)
        let home = try ReleasedStoreTests.copy(name, into: folder)
        let keychain = EmbeddedKeychain(at: KeychainLocation(path: home), device: GuardedItems.options)
        let hasPasscode = name.hasSuffix("passcode")
        let rows = try Self.read((hasPasscode ? Self.secrets : [:]).merging(["store": home]) { $1 })
        try expectTheSame(rows, keychain, passcode: hasPasscode ? GuardedItems.passcode : nil)
        guard !hasPasscode else { return }
        let backup = source.appendingPathComponent("keychain.backup").path
        #expect(try Self.read(["backup": backup, "secret": "of the backup"]) == rows)
    }

    // MARK: - What the reader says

    private static var secrets: [String: Any] {
        [
            "passcode": "1234", "passwords": ["wrong", String(decoding: GuardedItems.passwordBytes, as: UTF8.self)],
        ]
    }

    /// A row as the reader tells of it; its identifier is what a persistent reference ends with.
    struct Row: Decodable, Equatable {
        let `class`: String
        let uuid: String
        let protection: String
        let state: String
        let number: Int
        let tombstone: Bool?
        let secret: String?
        let attributes: [String: Attribute]?

        struct Attribute: Decodable, Equatable {
            let kind: Int
            let bytes: String
        }
    }

    /// A keychain file of a backup as the reader tells of it.
    private struct File: Decodable, Equatable {
        let file: String
        let mode: Int
        let bytes: String
    }

    private static func read(_ request: [String: Any]) throws -> [Row] {
        try lines(request).map { try JSONDecoder().decode(Row.self, from: $0) }
    }

    private static func lines(_ request: [String: Any]) throws -> [Data] {
        let workshop = try Workshop()
        try workshop.write(Array(JSONSerialization.data(withJSONObject: request)), to: "request.json")
        let reader = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("reader.py")
        try workshop.run("/usr/bin/python3 -B \"$1\" request.json > rows", reader.path)
        return try String(decoding: workshop.bytes("rows"), as: UTF8.self).split(separator: "\n").map { Data($0.utf8) }
    }

    /// Compares the rows with what the engine answers for each of them, found by its persistent reference.
    private func expectTheSame(_ rows: [Row], _ keychain: EmbeddedKeychain, passcode: SecretBytes?) throws {
        if let passcode { try keychain.device.unlock(passcode: passcode) }
        let report = try keychain.check()
        #expect(report.isSound && report.lockedRows == 0)
        #expect(rows.count == report.intactRows)
        for row in rows where row.tombstone == false {
            let identifier = try #require(ItemIdentifier(Self.bytes(row.uuid)))
            let itemClass = try #require(ItemClass(rawValue: row.class))
            let reference = itemClass.rawValue.utf8 + identifier.bytes
            let query: PropertyDictionary = [
                PropertyKey.valuePersistentReference: .data(SecretBytes(Array(reference))),
                PropertyKey.returnAttributes: .boolean(true), PropertyKey.returnData: .boolean(true),
                PropertyKey.useAuthenticationContext: .authenticationContext(GuardedItems.context()),
            ]
            let request = KeychainRequest(.copyMatching(query), client: SampleItems.client)
            guard case .single(.dictionary(let answer)) = try keychain.perform(request) else {
                Issue.record("no answer for \(row)")
                continue
            }
            guard case .data(let secret)? = answer[PropertyKey.valueData] else {
                #expect(row.secret == nil)
                continue
            }
            #expect(Self.bytes(row.secret ?? "-") == secret.unprotectedCopy, "\(row)")
            try expectAttributes(of: row, answer)
        }
    }

    private func expectAttributes(of row: Row, _ answer: [String: PropertyValue]) throws {
        let attributes = try #require(row.attributes)
        var compared = 0
        for (name, attribute) in attributes {
            let bytes = Self.bytes(attribute.bytes)
            func integer() -> UInt64 { bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) } }
            switch (attribute.kind, answer[name]) {
            case (1, .string(let text)?): #expect(Array(text.utf8) == bytes, "\(name)")
            case (2, .data(let data)?): #expect(data.unprotectedCopy == bytes, "\(name)")
            case (3, .number(.integer(let number))?): #expect(UInt64(bitPattern: number) == integer(), "\(name)")
            case (4, .number(.unsigned(let number))?): #expect(number == integer(), "\(name)")
            case (5, .number(.real(let number))?): #expect(number.bitPattern == integer(), "\(name)")
            case (6, .date(let date)?): #expect(date.secondsSinceReferenceDate.bitPattern == integer(), "\(name)")
            // What an answer shows of other values is the affair of the item functions.
            default: continue
            }
            compared += 1
        }
        #expect(compared >= 5, "\(attributes.keys.sorted()), \(answer.keys.sorted())")
    }

    private static func bytes(_ hexadecimal: String) -> [UInt8] {
        let digits = Array(hexadecimal)
        return stride(from: 0, to: digits.count - 1, by: 2).compactMap { UInt8(String(digits[$0...$0 + 1]), radix: 16) }
    }
}
