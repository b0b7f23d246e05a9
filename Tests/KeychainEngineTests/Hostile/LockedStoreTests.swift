// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import Glibc
import KeychainCore
import KeychainEngine
import KeychainHost
import KeychainStore
import KeychainTestSupport
import Testing

/// A store that somebody else holds for longer than anybody wants to wait.
struct LockedStoreTests {
    @Test(
        "while another holds the store for writing, reads go on and a change is errSecNotAvailable after the time-out"
    )
    func writer() throws {
        let store = try HeldStore(busyTimeoutMilliseconds: 50)
        let keychain = store.keychain
        let start = ContinuousClock.now
        #expect(keychain.add("bert", "secret") == .failed(.notAvailable))
        #expect(keychain.update("anna", "changed") == .failed(.notAvailable))
        #expect(keychain.delete("anna") == .failed(.notAvailable))
        let waited = ContinuousClock.now - start
        #expect(waited >= .milliseconds(140) && waited < .seconds(600))
        #expect(keychain.secret("anna") == .secret("secret"))
        try store.letGo()
        #expect(keychain.add("bert", "secret") == .done)
        #expect(keychain.update("anna", "changed") == .done)
        #expect(keychain.everything() == .accounts(["anna", "bert"]))
    }

    @Test("while another process holds the store, this one waits, and carries on when it lets go")
    func waiting() throws {
        let store = try HeldStore(busyTimeoutMilliseconds: 120_000)
        let keychain = store.keychain
        let isStarted = DispatchSemaphore(value: 0)
        // A thread of its own: a task might not start before this test ends.
        let add = HeldSync.Call(keychain) { keychain in
            isStarted.signal()
            return keychain.add("bert", "secret")
        }
        isStarted.wait()
        Thread.sleep(forTimeInterval: 0.1)
        #expect(add.current == nil)
        try store.letGo()
        #expect(add.answer == .done)
    }

    @Test("a store that another locks for itself alone is errSecNotAvailable with a reason that says to try again")
    func exclusive() async throws {
        let store = try TestStore()
        #expect(store.open().add("anna", "secret") == .done)
        let path = store.path
        let other = try store.raw()
        try other.execute("PRAGMA locking_mode = EXCLUSIVE")
        try other.execute("BEGIN IMMEDIATE")
        try other.execute("CREATE TABLE held (id)")
        // POSIX locks do not stop the process that holds them, so the other side is another process.
        await #expect(processExitsWith: .success) { [path = path as String] in
            let keychain = EmbeddedKeychain(at: .init(path: path), options: .init(busyTimeoutMilliseconds: 50))
            let failure = try #require(keychain.failure())
            #expect(failure.status == .notAvailable)
            #expect(failure.reason.contains("try again"))
            #expect(keychain.add("bert", "secret") == .failed(.notAvailable))
        }
        try other.execute("ROLLBACK")
        _ = consume other
        #expect(store.open().secret("anna") == .secret("secret"))
    }

    @Test("while another makes the store, nothing is found, and an add is errSecNotAvailable after the time-out")
    func setUp() throws {
        let store = try TestStore.of(["setup.lock": []])
        let descriptor = Glibc.open(store.file("setup.lock"), O_RDWR | O_CLOEXEC)
        #expect(flock(descriptor, LOCK_EX) == 0)
        let keychain = store.open(busyTimeoutMilliseconds: 50)
        #expect(keychain.failure()?.status == .itemNotFound)
        let failure = try #require(keychain.failureOfAdding())
        #expect(failure.status == .notAvailable)
        #expect(failure.reason.contains("try again"))
        #expect(try store.contents().keys.sorted() == ["setup.lock"])
        // A child that another test is just starting has a copy, which would keep the lock.
        #expect(flock(descriptor, LOCK_UN) == 0)
        close(descriptor)
        #expect(keychain.add("anna", "secret") == .done)
    }
}
