// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainCore
import KeychainEngine
import KeychainHost
import KeychainStore
import KeychainTestSupport
import Testing

/// A store that cannot grow: nothing that was stored is lost, nothing is half stored, and it works again afterwards.
struct FullStoreTests {
    private static let large = String(repeating: "x", count: 100_000)

    @Test("a full store refuses what does not fit with errSecDiskFull, and keeps the rest")
    func full() throws {
        let store = try TestStore()
        #expect(store.open().add("anna", "secret") == .done)
        var options = StoreOptions()
        options.maximumPageCount = try store.raw().integer("PRAGMA page_count") + 8
        let keychain = EmbeddedKeychain(at: KeychainLocation(path: store.path), options: options)
        for _ in 0..<3 {
            #expect(keychain.add("bert", Self.large) == .failed(.diskFull))
            #expect(keychain.update("anna", Self.large) == .failed(.diskFull))
            #expect(keychain.secret("anna") == .secret("secret"))
            #expect(keychain.everything() == .accounts(["anna"]))
        }
        #expect(keychain.add("carl", "small") == .done)
        #expect(keychain.delete("carl") == .done)
        let unlimited = store.open()
        #expect(unlimited.add("bert", Self.large) == .done)
        #expect(unlimited.secret("bert") == .secret(Self.large))
        #expect(try unlimited.check().isSound)
    }

    @Test("a keychain in memory of a maximum size refuses what does not fit with errSecDiskFull, and keeps the rest")
    func fullMemory() {
        let keychain = EmbeddedKeychain.inMemory(largestMebibytes: 1)
        let added = (0..<20).prefix(while: { keychain.add("\($0)", Self.large) == .done }).map(String.init)
        #expect((5...10).contains(added.count))
        #expect(keychain.add("bert", Self.large) == .failed(.diskFull))
        #expect(keychain.everything() == .accounts(Set(added)))
        #expect(keychain.delete("0") == .done)
        #expect(keychain.add("bert", Self.large) == .done)
        #expect(EmbeddedKeychain.inMemory().add("anna", String(repeating: "x", count: 2 << 20)) == .done)
    }

    @Test("writes beyond the largest file of the process are errSecDiskFull, and keep the rest")
    func failingWrites() async {
        await #expect(processExitsWith: .success) {
            let store = try TestStore()
            let keychain = store.open()
            #expect(keychain.add("anna", "secret") == .done)
            #expect(ChildProcess.limitFileSize(to: 300_000))
            for _ in 0..<3 {
                #expect(keychain.add("bert", String(repeating: "x", count: 1 << 20)) == .failed(.diskFull))
                #expect(keychain.update("anna", String(repeating: "x", count: 1 << 20)) == .failed(.diskFull))
                #expect(keychain.secret("anna") == .secret("secret"))
                #expect(keychain.everything() == .accounts(["anna"]))
            }
            #expect(ChildProcess.limitFileSize(to: 1 << 40))
            #expect(keychain.add("bert", "secret") == .done)
            #expect(store.open().everything() == .accounts(["anna", "bert"]))
            #expect(try keychain.check().isSound)
        }
    }

    @Test("a store that cannot be made completely is not made", arguments: [0, 10, 1_000, 20_000, 60_000, 100_000])
    func failingCreation(_ byteCount: Int) async {
        await #expect(processExitsWith: .success) { [byteCount = byteCount as Int] in
            let store = try TestStore()
            #expect(ChildProcess.limitFileSize(to: byteCount))
            guard case .failed = store.open().add("anna", "secret") else {
                Issue.record("it was made with \(byteCount) bytes")
                return
            }
            #expect(!FileManager.default.fileExists(atPath: store.file("keychain.db")))
            #expect(ChildProcess.limitFileSize(to: 1 << 40))
            #expect(store.open().add("anna", "secret") == .done)
            #expect(store.open().secret("anna") == .secret("secret"))
        }
    }
}
