// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainCore
import KeychainEngine
import KeychainTestSupport
import Testing

/// A root key that is gone, damaged or another store's: an error, and nothing is made in its place.
struct RootKeyLossTests {
    /// What happened to the root key.
    enum Loss: CaseIterable, CustomTestStringConvertible {
        case gone, empty, truncated, longer, flipped, zeroed, anotherStores, symbolicLink, folder, exposed

        var testDescription: String { "\(self)" }

        /// What the reason must say to do.
        var advice: String {
            switch self {
            case .gone, .empty, .truncated, .longer, .flipped, .zeroed, .anotherStores: "put"
            case .symbolicLink, .folder: "move it away"
            case .exposed: "chmod"
            }
        }

        func inflict(on store: TestStore) throws {
            let path = store.file("root.key")
            let key = try store.bytes(of: "root.key")
            switch self {
            case .gone: try FileManager.default.removeItem(atPath: path)
            case .empty: try store.write([], to: "root.key")
            case .truncated: try store.write(Array(key.dropLast()), to: "root.key")
            case .longer: try store.write(key + [0], to: "root.key")
            case .flipped: try store.write([key[0] ^ 1] + key.dropFirst(), to: "root.key")
            case .zeroed: try store.write(Array(repeating: 0, count: key.count), to: "root.key")
            case .anotherStores:
                let other = try TestStore()
                _ = other.open().add("anna", "other")
                try store.write(try other.bytes(of: "root.key"), to: "root.key")
            case .symbolicLink:
                try FileManager.default.moveItem(atPath: path, toPath: store.folder.path(of: "moved.key"))
                try FileManager.default.createSymbolicLink(
                    atPath: path,
                    withDestinationPath: store.folder.path(of: "moved.key")
                )
            case .folder:
                try FileManager.default.removeItem(atPath: path)
                try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
            case .exposed:
                try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path)
            }
        }
    }

    @Test(
        "a root key that is not the right one is a typed error, and the store stays as it is",
        arguments: Loss.allCases
    )
    func loss(_ loss: Loss) throws {
        let store = try TestStore()
        #expect(store.open().add("anna", "secret") == .done)
        let key = try store.bytes(of: "root.key")
        try loss.inflict(on: store)
        let before = try Self.files(store)

        let failure = try #require(store.open().failure())
        #expect(failure.status == .notAvailable)
        #expect(failure.reason.contains(loss.advice), "\(failure.reason)")
        let keychain = store.open()
        #expect(keychain.secret("anna") == .failed(.notAvailable))
        #expect(keychain.find("nobody") == .failed(.notAvailable))
        #expect(keychain.add("bert", "secret") == .failed(.notAvailable))
        #expect(keychain.update("anna", "changed") == .failed(.notAvailable))
        #expect(keychain.delete("anna") == .failed(.notAvailable))
        #expect(throws: KeychainError.self) { try keychain.check() }
        #expect(try Self.files(store) == before)

        try store.write(key, to: "root.key")
        #expect(keychain.secret("anna") == .secret("secret"))
        #expect(keychain.add("bert", "secret") == .done)
        #expect(store.open().everything() == .accounts(["anna", "bert"]))
    }

    @Test("a root key whose file has another name is used, and told of: a backup that copies by links gives it one")
    func otherName() throws {
        let store = try TestStore()
        #expect(store.open().add("anna", "secret") == .done)
        #expect(store.open().linkedRootKey == nil)
        let copy = store.folder.path(of: "copy of root.key")
        try FileManager.default.linkItem(atPath: store.file("root.key"), toPath: copy)
        #expect(store.open().secret("anna") == .secret("secret"))
        #expect(store.open().linkedRootKey?.hasSuffix("/keychain/root.key") ?? false)
        try FileManager.default.removeItem(atPath: copy)
        #expect(store.open().linkedRootKey == nil)
    }

    @Test("a folder that has a root key and no store gets a store for that key")
    func keyWithoutStore() throws {
        let other = try TestStore()
        #expect(other.open().add("anna", "secret") == .done)
        let key = try other.bytes(of: "root.key")
        let store = try TestStore.of(["root.key": key])
        #expect(store.open().add("bert", "secret") == .done)
        #expect(try store.bytes(of: "root.key") == key)
        #expect(store.open().everything() == .accounts(["bert"]))
    }

    @Test("a damaged root key and no store is a typed error, and no store is made", arguments: [0, 31, 33])
    func damagedKeyWithoutStore(_ count: Int) throws {
        let store = try TestStore.of(["root.key": Array(repeating: 7, count: count)])
        #expect(store.open().add("anna", "secret") == .failed(.notAvailable))
        #expect(!FileManager.default.fileExists(atPath: store.file("keychain.db")))
        #expect(try store.bytes(of: "root.key") == Array(repeating: 7, count: count))
    }

    /// The contents of the files; a link and a folder stand for themselves.
    private static func files(_ store: TestStore) throws -> [String: Data] {
        var files: [String: Data] = [:]
        for name in try FileManager.default.contentsOfDirectory(atPath: store.path) where !name.hasSuffix("-shm") {
            files[name] = (try? Data(contentsOf: URL(fileURLWithPath: store.file(name)))) ?? Data(name.utf8)
        }
        return files
    }
}
