// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import KeychainCore
import KeychainEngine
import KeychainStore
import KeychainTestSupport
import Testing

/// A disk on which no file can grow: errSecDiskFull with the reason, reads and deletes go on, and nothing is lost.
struct FullDiskTests {
    private static let large = String(repeating: "x", count: 200_000)

    @Test(
        "an add is errSecDiskFull, whatever there is no room in; a delete works",
        arguments: [ENOSPC, EDQUOT, EFBIG],
        [false, true]
    )
    func full(_ failure: Int32, _ together: Bool) async {
        await #expect(processExitsWith: .success) { [failure = failure as Int32, together = together as Bool] in
            FaultyFileSystem.install()
            let store = try TestStore()
            let keychain = store.open(StoreOptions(makesChangesTogether: together))
            #expect(keychain.add("anna", "secret") == .done)
            #expect(keychain.add("bert", Self.large) == .done)
            #expect(keychain.add("carl", "secret") == .done)
            store.checkpointLog()
            FaultyFileSystem.room = (0, failure)
            for _ in 0..<3 {
                #expect(keychain.add("dora", Self.large + Self.large) == .failed(.diskFull))
                #expect(keychain.update("anna", Self.large + Self.large) == .failed(.diskFull))
                #expect(keychain.secret("anna") == .secret("secret"))
                #expect(keychain.everything() == .accounts(["anna", "bert", "carl"]))
            }
            #expect(keychain.delete("carl") == .done)
            #expect(keychain.delete("bert") == .done)
            #expect(keychain.everything() == .accounts(["anna"]))
            // In the room that the deleted ones had.
            #expect(keychain.add("dora", "secret") == .done)
            #expect(store.open().everything() == .accounts(["anna", "dora"]))
            FaultyFileSystem.room = nil
            #expect(keychain.add("bert", Self.large) == .done)
            #expect(try keychain.check().isSound)
        }
    }

    @Test("if the log was never written back, a delete is errSecDiskFull, too, until there is room")
    func unwrittenLog() async {
        await #expect(processExitsWith: .success) {
            FaultyFileSystem.install()
            let store = try TestStore()
            let keychain = store.open()
            #expect(keychain.add("anna", "secret") == .done)
            #expect(keychain.add("bert", Self.large) == .done)
            FaultyFileSystem.room = (0, ENOSPC)
            for _ in 0..<3 {
                #expect(keychain.delete("anna") == .failed(.diskFull))
                #expect(keychain.everything() == .accounts(["anna", "bert"]))
            }
            #expect(keychain.secret("anna") == .secret("secret"))
            FaultyFileSystem.room = nil
            #expect(keychain.delete("anna") == .done)
            #expect(store.open().everything() == .accounts(["bert"]))
            #expect(try keychain.check().isSound)
        }
    }

    @Test("the reason says what to do")
    func reason() async {
        await #expect(processExitsWith: .success) {
            FaultyFileSystem.install()
            let store = try TestStore()
            let keychain = store.open()
            #expect(keychain.add("anna", "secret") == .done)
            FaultyFileSystem.room = (0, ENOSPC)
            let secret: PropertyValue = .data(SecretBytes(Array(Self.large.utf8)))
            let item: PropertyDictionary = ["class": .string("genp"), "v_Data": secret]
            let failure = #expect(throws: KeychainError.self) {
                try keychain.perform(KeychainRequest(.add(item), client: TestStore.client))
            }
            #expect(failure?.reason.contains("make room on the disk") == true)
        }
    }

    @Test(
        "where there is no room to make a keychain, an add is errSecDiskFull, and none is made",
        arguments: [0, 4_096, 60_000]
    )
    func creation(_ byteCount: Int) async {
        await #expect(processExitsWith: .success) { [byteCount = byteCount as Int] in
            FaultyFileSystem.install()
            let store = try TestStore()
            FaultyFileSystem.room = (byteCount, ENOSPC)
            #expect(store.open().add("anna", "secret") == .failed(.diskFull))
            #expect(!FileManager.default.fileExists(atPath: store.file("keychain.db")))
            FaultyFileSystem.room = nil
            #expect(store.open().add("anna", "secret") == .done)
        }
    }
}
