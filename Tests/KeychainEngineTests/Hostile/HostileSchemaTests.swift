// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainCore
import KeychainEngine
import KeychainHost
import KeychainStore
import KeychainTestSupport
import Testing

/// Files that SQLite would read without end, or with all memory: each is refused at once, wherever it is read.
@Suite(.timeLimit(.minutes(5)))
struct HostileSchemaTests {
    private static let (store, backup): (Int64, Int64) = (0x534B_4348, 0x534B_424B)

    private func database(_ schema: HostileSchema, _ identifier: Int64) -> [UInt8] {
        schema.database(applicationIdentifier: identifier, version: FileFormat.baseVersion)
    }

    /// The growth of the most memory that this process has had so far, in MiB (proc_pid_status(5)).
    private func growth(_ body: () throws -> Void) throws -> Int {
        func peak() throws -> Int {
            let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
            let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") })
            return try #require(Int(line.split(separator: " ")[1])) >> 10
        }
        let before = try peak()
        try body()
        return try peak() - before
    }

    @Test("a backup is refused, as a file and as bytes, by every command", arguments: HostileSchema.allCases)
    func backups(_ schema: HostileSchema) throws {
        let folder = try TemporaryFolder()
        let bytes = database(schema, Self.backup)
        let path = folder.path(of: "backup")
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        let keychain = EmbeddedKeychain(at: KeychainLocation(path: folder.path(of: "keychain")))
        #expect(keychain.add("anna", "secret") == .done)
        let merge = BackupMerge(isTrial: false)
        let memory = try growth {
            let refusals = [
                #expect(throws: KeychainError.self) { try BackupReader(path) },
                #expect(throws: KeychainError.self) { try BackupReader(bytes: SecretBytes(bytes)) },
                #expect(throws: KeychainError.self) {
                    try keychain.maintenance.mergeBackup(from: .path(path), secret: SecretBytes([7]), merge)
                },
                #expect(throws: KeychainError.self) {
                    try keychain.maintenance.mergeBackup(
                        from: .contents(SecretBytes(bytes)),
                        secret: SecretBytes([7]),
                        merge
                    )
                },
            ]
            for refusal in refusals {
                #expect(refusal?.kind == .storage(.notABackup), "\(refusal as Any)")
                #expect(refusal?.status == .notAvailable)
            }
        }
        #expect(memory < 1_024, "\(memory) MiB")
    }

    @Test("the image of a keychain file is refused", arguments: HostileSchema.allCases)
    func images(_ schema: HostileSchema) throws {
        let bytes = database(schema, Self.store)
        let memory = try growth {
            let refusal = #expect(throws: KeychainError.self) { try Store(image: bytes) }
            #expect(refusal?.kind == .storage(.damaged), "\(refusal as Any)")
        }
        #expect(memory < 1_024, "\(memory) MiB")
    }

    /// A store whose file, or whose log, is hostile.
    private func makeStore(_ schema: HostileSchema, inLog: Bool) throws -> TestStore {
        let store = try TestStore()
        #expect(store.open().add("anna", "secret") == .done)
        try store.checkpoint()
        for name in ["keychain.db-wal", "keychain.db-shm"] { unlink(store.file(name)) }
        if inLog {
            let log = schema.log(applicationIdentifier: Self.store, version: FileFormat.baseVersion)
            try store.write(log, to: "keychain.db-wal")
        } else {
            try store.write(database(schema, Self.store), to: "keychain.db")
        }
        return store
    }

    @Test(
        "a store is not opened, a check names the damage, a repair has nothing to bring back, and it can be erased",
        arguments: HostileSchema.allCases,
        [false, true]
    )
    func stores(_ schema: HostileSchema, inLog: Bool) throws {
        let memory = try growth {
            let store = try makeStore(schema, inLog: inLog)
            let refusal = #expect(throws: KeychainError.self) { try store.open().device.status() }
            #expect(refusal?.kind == .storage(.damaged), "\(refusal as Any)")
            let report = try store.check()
            #expect(report.verdict != .sound && report.findings.contains { $0.part == .structure }, "\(report)")
            _ = try? store.repair().plan()
            try store.open().device.erase()
            #expect(store.open().add("bert", "secret") == .done)
            #expect(try store.check().verdict == .sound)
        }
        #expect(memory < 1_024, "\(memory) MiB")
    }

    @Test("a table whose pages lead to one another is checked, repaired and erased", arguments: [false, true])
    func repeatedTable(_ isErased: Bool) throws {
        let store = try TestStore()
        #expect(store.open().add("anna", "secret") == .done)
        try store.checkpoint()
        let root = try store.raw().integer("SELECT rootpage FROM sqlite_schema WHERE name = 'items_genp'")
        for name in ["keychain.db-wal", "keychain.db-shm"] { unlink(store.file(name)) }
        let bytes = try store.bytes(of: "keychain.db")
        try store.write(HostileSchema.repeatingPages(below: root, of: bytes), to: "keychain.db")
        let report = try store.check()
        #expect(report.verdict == .damaged && report.findings.contains { $0.part == .structure }, "\(report)")
        if isErased {
            try store.open().device.erase()
        } else {
            #expect(try store.repair().run(date: "D") { _ in true }.isDone)
        }
        #expect(store.open().add("bert", "secret") == .done)
        #expect(try store.check().verdict == .sound)
    }
}
