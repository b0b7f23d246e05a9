// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainCore
import KeychainEngine
import KeychainHost
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
                try Self.expectOnlyAnna(afterRestartOf: store)
            }
            #expect(keychain.add("bert", "secret") == .done)
            #expect(try store.afterRestart { $0.everything() } == .accounts(["anna", "bert"]))
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
                let possible: [Answer] = [
                    .accounts(["anna"]), .accounts(["anna", "bert"]), .failed(.itemNotFound),
                ]
                #expect(possible.contains(try store.afterRestart { $0.everything() }))
                #expect(keychain.update("anna", "secret") == .done)
                try Self.expectOnlyAnna(afterRestartOf: store)
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

    private static func expectOnlyAnna(afterRestartOf store: TestStore) throws {
        try store.afterRestart { restarted in
            #expect(restarted.everything() == .accounts(["anna"]))
            #expect(restarted.secret("anna") == .secret("secret"))
        }
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
}
