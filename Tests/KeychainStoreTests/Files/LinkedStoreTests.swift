// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import KeychainCore
import KeychainHost
import KeychainTestSupport
import Testing

@testable import KeychainStore

/// A store whose file has several names (link(2)), as programs make that copy folders by links: SQLite has a log for
/// each of them, and what is in one is not in the other.
struct LinkedStoreTests {
    private let folder: StoreFolder
    private let other: StoreFolder

    init() throws {
        (folder, other) = (try StoreFolder(), try StoreFolder())
        let store = try folder.open()
        try store.add([.sample(.key, 1)])
        store.finish()
    }

    private func link() { #expect(Glibc.link(folder.path(of: "keychain.db"), other.path(of: "keychain.db")) == 0) }

    private func expectOnlyRead(_ folder: StoreFolder, store: Store, rows: Int) throws {
        let failure = #expect(throws: KeychainError.self) { try store.add([.sample(.key, 9)]) }
        #expect(failure?.status == .notAvailable && failure?.kind == .storage(.readOnly))
        for text in [folder.path(of: "keychain.db"), "hard links", "cp keychain.db new && mv new keychain.db"] {
            #expect(failure?.reason.contains(text) ?? false, "\(text)")
        }
        #expect(try store.everyRow(.key).count == rows)
    }

    @Test("a store of two names is read under both of them, and not changed under either")
    func beforeOpening() throws {
        link()
        for folder in [folder, other] { try expectOnlyRead(folder, store: folder.open(), rows: 1) }
    }

    @Test("one that gets another name while it is open is not changed from then on, alone or in a group")
    func whileOpen() throws {
        let store = try folder.open()
        try store.add([.sample(.key, 2)])
        link()
        try expectOnlyRead(folder, store: store, rows: 2)
        store.beginGroup()
        #expect(throws: KeychainError.self) {
            try store.inGroup { () throws(KeychainError) in
                try store.write { (writer) throws(KeychainError) in _ = try writer.insert(.sample(.key, 3)) }
            }
        }
        try store.endGroup()
        // What is in the log of the first name is not in the other one: that is refused until it is written back.
        #expect(throws: KeychainError.self) { try other.open() }
        store.finish()
        try expectOnlyRead(other, store: other.open(), rows: 2)
    }

    @Test("with a file of its own, or without the other name, it is changed again")
    func mended() throws {
        link()
        let copying = "cd '\(folder.folder.path)' && cp keychain.db new && mv new keychain.db"
        #expect(try Shell(environment: ["PATH": "/usr/bin:/bin"]).run("/bin/sh", ["-c", copying]).status == 0)
        #expect(try folder.open().add([.sample(.key, 2)]))
        #expect(try other.open().add([.sample(.key, 3)]))
        #expect(try folder.open().everyRow(.key).count == 2)
        #expect(try other.open().everyRow(.key).count == 2)
    }

    @Test("a folder that a symbolic link names is one folder, and its store one file")
    func symbolicLink() throws {
        let path = other.path(of: "home")
        #expect(symlink(folder.folder.path, path) == 0)
        let named = try PrivateDirectory(KeychainLocation(path: path))
        let store = try Store.open(in: named, options: StoreOptions()) { () throws(KeychainError) in [] }
        #expect(try store.add([.sample(.key, 2)]))
        #expect(try folder.open().add([.sample(.key, 3)]))
        #expect(try store.everyRow(.key).count == 3)
    }

    @Test("tables of the format before are not brought up to date under several names")
    func migration() throws {
        let released = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appendingPathComponent("KeychainEngineTests/Released/format-2/keychain.db")
        let former = try StoreFolder()
        try former.write(Data(contentsOf: released), to: "keychain.db")
        #expect(Glibc.link(former.path(of: "keychain.db"), other.path(of: "keychain.db")) == 0)
        let store = try former.open()
        #expect(throws: KeychainError.self) { try store.migrate { (row) throws(KeychainError) in row.row } }
        #expect(store.hasFormerTables)
    }
}
