// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import KeychainCore
import KeychainEngine
import KeychainHost
import KeychainTestSupport
import Testing

/// Something else than the keychain's own files at their paths: errSecNotAvailable with the reason, and it is left
/// alone.
struct WrongFileTests {
    /// What stands at a path.
    enum Intruder: CaseIterable {
        case symbolicLink, danglingLink, folder, pipe, exposedToGroup, exposedToAll, otherOwner

        func stand(at path: String, of store: TestStore) throws {
            let elsewhere = store.folder.path(of: "elsewhere")
            switch self {
            case .symbolicLink:
                try FileManager.default.moveItem(atPath: path, toPath: elsewhere)
                try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: elsewhere)
            case .danglingLink:
                try FileManager.default.removeItem(atPath: path)
                try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: elsewhere)
            case .folder:
                try FileManager.default.removeItem(atPath: path)
                try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
            case .pipe:
                try FileManager.default.removeItem(atPath: path)
                try #require(mkfifo(path, 0o600) == 0)
            case .exposedToGroup: try #require(chmod(path, 0o640) == 0)
            case .exposedToAll: try #require(chmod(path, 0o604) == 0)
            case .otherOwner: try #require(chown(path, 65_534, 65_534) == 0)
            }
        }
    }

    /// Only the superuser can give a file away.
    private static var intruders: [Intruder] {
        Intruder.allCases.filter { $0 != .otherOwner || geteuid() == 0 }
    }

    @Test(
        "another kind of file, mode or owner is refused, and nothing is made or changed",
        .timeLimit(.minutes(30)),
        arguments: intruders,
        ["keychain.db", "keychain.db-wal", "keychain.db-shm", "root.key", "keychain.db-journal"]
    )
    func refused(_ intruder: Intruder, _ name: String) throws {
        let store = try TestStore()
        #expect(store.open().add("anna", "secret") == .done)
        if name == "keychain.db-journal" { try store.write([], to: name) }
        try #require(FileManager.default.fileExists(atPath: store.file(name)))
        try intruder.stand(at: store.file(name), of: store)
        let before = try Self.listing(store)

        let keychain = store.open()
        let failure = try #require(keychain.failure())
        #expect(failure.status == .notAvailable)
        #expect(failure.reason.contains(name))
        // What to do.
        #expect(["move", "chmod", "run this as that user"].contains { failure.reason.contains($0) })
        #expect(keychain.add("bert", "secret") == .failed(.notAvailable))
        #expect(keychain.delete("anna") == .failed(.notAvailable))
        #expect(try Self.listing(store) == before)
    }

    @Test(
        "a folder that others can get at is refused as it is",
        arguments: [0o755, 0o770, 0o701, 0o777, 0o1777] as [mode_t]
    )
    func exposedFolder(_ mode: mode_t) throws {
        let store = try TestStore()
        #expect(store.open().add("anna", "secret") == .done)
        #expect(chmod(store.path, mode) == 0)
        let failure = try #require(store.open().failure())
        #expect(failure.status == .notAvailable)
        #expect(failure.reason.contains("chmod"))
        #expect(chmod(store.path, 0o700) == 0)
        #expect(store.open().secret("anna") == .secret("secret"))
    }

    @Test("a folder of another user, or something else in its place, is refused")
    func wrongFolder() throws {
        let base = try TemporaryFolder()
        try Data().write(to: URL(fileURLWithPath: base.path(of: "file")))
        try #require(mkfifo(base.path(of: "pipe"), 0o600) == 0)
        try FileManager.default.createSymbolicLink(
            atPath: base.path(of: "dangling"),
            withDestinationPath: base.path(of: "nothing")
        )
        try FileManager.default.createDirectory(
            atPath: base.path(of: "others"),
            withIntermediateDirectories: false,
            attributes: [.posixPermissions: 0o700]
        )
        // Only the superuser can give a folder away; for anybody else /usr is the folder of another user.
        let isSuperuser = geteuid() == 0
        if isSuperuser { try #require(chown(base.path(of: "others"), 65_534, 65_534) == 0) }
        let paths = ["file", "file/below", "pipe", "dangling"].map(base.path(of:))
        for path in paths + [isSuperuser ? base.path(of: "others") : "/usr"] {
            let keychain = EmbeddedKeychain(at: KeychainLocation(path: path))
            let failure = try #require(keychain.failure(), "\(path)")
            #expect(failure.status == .notAvailable, "\(path)")
            #expect(failure.reason.contains(path), "\(failure.reason)")
            #expect(keychain.add("anna", "secret") == .failed(.notAvailable), "\(path)")
        }
        // Nothing is there, and nothing can be made.
        let keychain = EmbeddedKeychain(at: KeychainLocation(path: "/proc/keychain"))
        #expect(keychain.failure()?.status == .itemNotFound)
        #expect(keychain.add("anna", "secret") == .failed(.notAvailable))
        #expect(try FileManager.default.contentsOfDirectory(atPath: base.path(of: "others")).isEmpty)
        #expect(!FileManager.default.fileExists(atPath: base.path(of: "nothing")))
    }

    @Test("a symbolic link to the keychain's folder is followed")
    func linkedFolder() throws {
        let store = try TestStore()
        #expect(store.open().add("anna", "secret") == .done)
        let link = store.folder.path(of: "link")
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: store.path)
        #expect(EmbeddedKeychain(at: KeychainLocation(path: link)).secret("anna") == .secret("secret"))
    }

    @Test("a store of a newer version, of no version or of another program is refused and stays as it is")
    func versions() throws {
        for (pragma, advice) in [
            // Of a revision that lets none before 3.4 read, of another format, of one that nobody released.
            ("user_version = \(0x0404_0304)", "update"), ("user_version = \(0x0301)", "backup"),
            ("user_version = \(0x0400)", "update"),
            ("user_version = 2147483647", "update"), ("user_version = \(0x0201)", "backup"),
            ("user_version = 0", "backup"), ("user_version = 2", "never released"),
            ("user_version = -1", "backup"), ("application_id = 1", "backup"),
        ] {
            let store = try TestStore()
            #expect(store.open().add("anna", "secret") == .done)
            let old = try store.raw().integer("PRAGMA \(pragma.prefix { $0 != " " })")
            try store.raw().execute("PRAGMA \(pragma)")
            let before = try store.contents()
            let failure = try #require(store.open().failure())
            #expect(failure.status == .notAvailable)
            #expect(failure.reason.contains(advice), "\(pragma): \(failure.reason)")
            #expect(store.open().add("bert", "secret") == .failed(.notAvailable))
            #expect(store.open().delete("anna") == .failed(.notAvailable))
            #expect(try store.contents() == before)
            try store.raw().execute("PRAGMA \(pragma.prefix { $0 != " " }) = \(old)")
            #expect(store.open().secret("anna") == .secret("secret"))
        }
    }

    @Test("a store that was taken out of its log mode is refused")
    func journalMode() throws {
        let store = try TestStore()
        #expect(store.open().add("anna", "secret") == .done)
        try store.raw().execute("PRAGMA journal_mode = DELETE")
        #expect(store.open().failure()?.status == .notAvailable)
        try store.raw().execute("PRAGMA journal_mode = WAL")
        #expect(store.open().secret("anna") == .secret("secret"))
    }

    /// What is there, without following links or reading from pipes.
    private static func listing(_ store: TestStore) throws -> [String: String] {
        var listing: [String: String] = [:]
        for name in try FileManager.default.contentsOfDirectory(atPath: store.path) {
            var status = stat()
            lstat(store.file(name), &status)
            listing[name] = "\(status.st_mode) \(status.st_uid) \(status.st_ino) \(status.st_size)"
        }
        return listing
    }
}
