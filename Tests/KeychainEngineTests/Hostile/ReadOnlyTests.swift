// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainCore
import KeychainEngine
import KeychainTestSupport
import Testing

/// A store that cannot be written; each case in a process of an ordinary user, because modes do not stop the superuser.
struct ReadOnlyTests {
    @Test("a store file of mode 0400 can be read, and a change is errSecReadOnly")
    func readOnlyFile() async {
        await #expect(processExitsWith: .success) {
            try Self.check(files: 0o400, folder: 0o700)
        }
    }

    @Test("a store in a folder of mode 0500 with files of mode 0400 can be read, and a change is errSecReadOnly")
    func readOnlyFolder() async {
        await #expect(processExitsWith: .success) {
            try Self.check(files: 0o400, folder: 0o500)
        }
    }

    @Test(
        "without its log's index, in a folder that cannot be written, a store is read as it lies",
        arguments: [true, false]
    )
    func withoutIndex(_ hasEmptyLog: Bool) async {
        await #expect(processExitsWith: .success) { [hasEmptyLog = hasEmptyLog as Bool] in
            #expect(ChildProcess.becomeOrdinaryUser())
            let store = try Self.withoutIndex()
            if !hasEmptyLog { try FileManager.default.removeItem(atPath: store.file("keychain.db-wal")) }
            let before = try store.contents()
            try Self.change(store, files: 0o400, folder: 0o500)
            try Self.checkUnchangeable(store, before)
            // Another process begins to write, as it can through another mount.
            let reader = store.open()
            #expect(reader.secret("anna") == .secret("secret"))
            try Self.change(store, files: 0o600, folder: 0o700)
            #expect(store.open().update("anna", "changed") == .done)
            #expect(reader.secret("anna") == .secret("changed"))
            #expect(reader.add("bert", "secret") == .done)
            #expect(store.open().everything() == .accounts(["anna", "bert"]))
        }
    }

    @Test("a log without an index in a folder that cannot be written is errSecNotAvailable, with what to do")
    func logWithoutIndex() async {
        await #expect(processExitsWith: .success) {
            #expect(ChildProcess.becomeOrdinaryUser())
            let store = try TestStore()
            let keychain = store.open()
            #expect(keychain.add("anna", "secret") == .done)
            try keychain.leaveLog()
            try FileManager.default.removeItem(atPath: store.file("keychain.db-shm"))
            let before = try store.contents()
            try Self.change(store, files: 0o400, folder: 0o500)
            let failure = try #require(store.open().failure())
            #expect(failure.status == .notAvailable)
            #expect(failure.reason.contains("keychain.db-wal") && failure.reason.contains("copy the folder"))
            #expect(try store.contents() == before)
            try Self.change(store, files: 0o600, folder: 0o700)
            #expect(store.open().secret("anna") == .secret("secret"))
        }
    }

    @Test("a folder of mode 0500 without a store gets none, and the answer is errSecNotAvailable")
    func readOnlyEmptyFolder() async {
        await #expect(processExitsWith: .success) {
            #expect(ChildProcess.becomeOrdinaryUser())
            let store = try TestStore.of([:])
            #expect(chmod(store.path, 0o500) == 0)
            #expect(store.open().add("anna", "secret") == .failed(.notAvailable))
            #expect(try store.contents().isEmpty)
            #expect(chmod(store.path, 0o700) == 0)
            #expect(store.open().add("anna", "secret") == .done)
        }
    }

    @Test("files of mode 0000 are a typed error, and nothing is made in their place")
    func unreadable() async {
        await #expect(processExitsWith: .success) {
            #expect(ChildProcess.becomeOrdinaryUser())
            for name in ["keychain.db", "root.key"] {
                let store = try TestStore()
                #expect(store.open().add("anna", "secret") == .done)
                let before = try store.contents()
                #expect(chmod(store.file(name), 0) == 0)
                let failure = try #require(store.open().failure())
                #expect(failure.status == .notAvailable)
                #expect(store.open().add("bert", "secret") == .failed(.notAvailable))
                #expect(chmod(store.file(name), 0o600) == 0)
                #expect(try store.contents() == before)
                #expect(store.open().secret("anna") == .secret("secret"))
            }
        }
    }

    /// A store that lies in one file, as a backup of the folder has it.
    private static func withoutIndex() throws -> TestStore {
        let store = try TestStore()
        #expect(store.open().add("anna", "secret") == .done)
        try store.checkpoint()
        if FileManager.default.fileExists(atPath: store.file("keychain.db-shm")) {
            try FileManager.default.removeItem(atPath: store.file("keychain.db-shm"))
        }
        try store.write([], to: "keychain.db-wal")
        return store
    }

    private static func change(_ store: TestStore, files: mode_t, folder: mode_t) throws {
        try #require(chmod(store.path, 0o700) == 0)
        for name in try FileManager.default.contentsOfDirectory(atPath: store.path) {
            try #require(chmod(store.file(name), files) == 0)
        }
        try #require(chmod(store.path, folder) == 0)
    }

    private static func check(files: mode_t, folder: mode_t) throws {
        #expect(ChildProcess.becomeOrdinaryUser())
        let store = try TestStore()
        #expect(store.open().add("anna", "secret") == .done)
        let before = try store.contents()
        let names = try FileManager.default.contentsOfDirectory(atPath: store.path)
        for name in names { #expect(chmod(store.file(name), files) == 0) }
        #expect(chmod(store.path, folder) == 0)
        try checkUnchangeable(store, before)

        #expect(chmod(store.path, 0o700) == 0)
        for name in names { #expect(chmod(store.file(name), 0o600) == 0) }
        let writable = store.open()
        #expect(writable.add("bert", "secret") == .done)
        #expect(writable.everything() == .accounts(["anna", "bert"]))
    }

    private static func checkUnchangeable(_ store: TestStore, _ before: [String: Data]) throws {
        let keychain = store.open()
        #expect(keychain.secret("anna") == .secret("secret"))
        #expect(keychain.everything() == .accounts(["anna"]))
        #expect(keychain.find("bert") == .failed(.itemNotFound))
        #expect(keychain.add("bert", "secret") == .failed(.readOnly))
        #expect(keychain.update("anna", "changed") == .failed(.readOnly))
        #expect(keychain.delete("anna") == .failed(.readOnly))
        #expect(keychain.secret("anna") == .secret("secret"))
        #expect(try store.contents() == before)
    }
}
