// SPDX-License-Identifier: Apache-2.0

import Foundation
import HostFiles
import KeychainCore
import KeychainEngine
import KeychainTestSupport
import Testing

/// A change whose last sync failed: it lies in the log all the same, where a restart would find it.
struct FailedSyncTests {
    @Test("a change whose sync fails once is an error, and never comes to light")
    func undone() async {
        await #expect(processExitsWith: .success) {
            FaultyFileSystem.install()
            let store = try TestStore()
            let keychain = store.open()
            #expect(keychain.add("anna", "secret") == .done)
            for change in Self.changes {
                FaultyFileSystem.failingLogSyncs = 1
                let error = try #require(Self.error(of: change, keychain))
                #expect(error.status == .io)
                #expect(!error.reason.contains("whether"), "\(error.reason)")
                #expect(FaultyFileSystem.failingLogSyncs == 0)
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
        "where it cannot be taken back either, the reason says that it may come to light; the next change takes it back"
    )
    func doubtful() async {
        await #expect(processExitsWith: .success) {
            FaultyFileSystem.install()
            let store = try TestStore()
            let keychain = store.open()
            #expect(keychain.add("anna", "secret") == .done)
            for change in Self.changes {
                FaultyFileSystem.failingLogSyncs = 2
                let error = try #require(Self.error(of: change, keychain))
                #expect(error.status == .io)
                #expect(error.reason.contains("whether the change was stored shows when the store is next opened"))
                #expect(FaultyFileSystem.failingLogSyncs == 0)
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

    private static func error(of change: KeychainRequest.Operation, _ keychain: EmbeddedKeychain) -> KeychainError? {
        do throws(KeychainError) {
            _ = try keychain.perform(KeychainRequest(change, client: TestStore.client))
            return nil
        } catch {
            return error
        }
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
