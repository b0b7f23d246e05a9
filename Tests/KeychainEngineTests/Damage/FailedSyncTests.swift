// SPDX-License-Identifier: Apache-2.0

import Foundation
import HostFiles
import KeychainCore
import KeychainEngine
import KeychainStore
import KeychainTestSupport
import Testing

/// A change whose last sync failed: it lies in the log all the same, where a restart would find it.
struct FailedSyncTests {
    @Test("a change whose sync fails once is an error, and never comes to light", arguments: [false, true])
    func undone(_ together: Bool) async {
        await #expect(processExitsWith: .success) { [together = together as Bool] in
            let (store, keychain) = try Self.opened(together)
            for change in Self.changes {
                let error = try Self.error(of: change, keychain, failingSyncs: 1)
                #expect(!error.reason.contains("whether"), "\(error.reason)")
                #expect(keychain.everything() == .accounts(["anna"]))
                #expect(keychain.secret("anna") == .secret("secret"))
                let restarted = try Self.afterRestart(store)
                #expect(restarted.everything() == .accounts(["anna"]))
                #expect(restarted.secret("anna") == .secret("secret"))
            }
            #expect(keychain.add("bert", "secret") == .done)
            #expect(try Self.afterRestart(store).everything() == .accounts(["anna", "bert"]))
        }
    }

    @Test(
        "where it cannot be taken back either, the reason says that it may come to light; the next change takes it back",
        arguments: [false, true]
    )
    func doubtful(_ together: Bool) async {
        await #expect(processExitsWith: .success) { [together = together as Bool] in
            let (store, keychain) = try Self.opened(together)
            for change in Self.changes {
                let error = try Self.error(of: change, keychain, failingSyncs: 2)
                #expect(error.reason.contains("whether the change was stored shows when the store is next opened"))
                #expect(keychain.everything() == .accounts(["anna"]))
                let restarted = try Self.afterRestart(store)
                let possible: [Answer] = [
                    .accounts(["anna"]), .accounts(["anna", "bert"]), .failed(.itemNotFound),
                ]
                #expect(possible.contains(restarted.everything()))
                #expect(keychain.update("anna", "secret") == .done)
                #expect(try Self.afterRestart(store).everything() == .accounts(["anna"]))
                #expect(try Self.afterRestart(store).secret("anna") == .secret("secret"))
            }
        }
    }

    private static let changes: [KeychainRequest.Operation] = {
        let item: PropertyDictionary = ["class": .string("genp"), "acct": .string("anna"), "svce": .string("service")]
        var other = item
        other["acct"] = .string("bert")
        let secret: PropertyDictionary = ["v_Data": .data(SecretBytes(Array("other".utf8)))]
        return [.add(other), .update(item, attributes: secret), .delete(item)]
    }()

    /// A store with one item, whose syncs can fail.
    private static func opened(_ together: Bool) throws -> (TestStore, EmbeddedKeychain) {
        FaultyFileSystem.install()
        let store = try TestStore()
        let keychain = store.open(StoreOptions(makesChangesTogether: together))
        try #require(keychain.add("anna", "secret") == .done)
        return (store, keychain)
    }

    /// What a change fails with while so many syncs of the log fail.
    private static func error(
        of change: KeychainRequest.Operation,
        _ keychain: EmbeddedKeychain,
        failingSyncs count: Int
    ) throws -> KeychainError {
        FaultyFileSystem.failingLogSyncs = count
        let error = try #require(throws: KeychainError.self) {
            try keychain.perform(KeychainRequest(change, client: TestStore.client))
        }
        #expect(error.status == .io)
        #expect(FaultyFileSystem.failingLogSyncs == 0)
        return error
    }

    /// What a restart of the host leaves: the files as they are, without the log's index, which lies in memory.
    private static func afterRestart(_ store: TestStore) throws -> EmbeddedKeychain {
        let copy = try TestStore.of(try store.contents().mapValues { Array($0) })
        let keychain = copy.open()
        // The folder goes with the value.
        copies.append(copy)
        return keychain
    }

    private nonisolated(unsafe) static var copies: [TestStore] = []
}
