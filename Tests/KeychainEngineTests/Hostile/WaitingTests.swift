// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import Glibc
import KeychainCore
import KeychainEngine
import KeychainSimulation
import KeychainTestSupport
import Synchronization
import Testing

/// What calls of one process wait for, while another process has the store.
struct WaitingTests {
    @Test("calls that wait side by side fail after one time-out, not one after the other")
    func oneDeadline() throws {
        let store = try HeldStore(busyTimeoutMilliseconds: 2_000)
        let keychain = store.keychain
        let start = ContinuousClock.now
        let adds = (0..<40).map { number in HeldSync.Call(keychain) { $0.add("\(number)", "secret") } }
        let answers = adds.map(\.answer)
        let waited = ContinuousClock.now - start
        // One after the other they would take eighty seconds.
        #expect(waited >= .milliseconds(1_900) && waited < .seconds(60))
        #expect(answers == Array(repeating: .failed(.notAvailable), count: 40))
        try store.letGo()
        #expect(keychain.add("bert", "secret") == .done)
    }

    @Test("reading goes on beside a thread that waits to write")
    func readsGoOn() throws {
        let store = try HeldStore(busyTimeoutMilliseconds: 120_000)
        let keychain = store.keychain
        let add = HeldSync.Call(keychain) { $0.add("bert", "secret") }
        let start = ContinuousClock.now
        while ContinuousClock.now - start < .milliseconds(300) {
            #expect(keychain.secret("anna") == .secret("secret"))
            #expect(try keychain.device.status().hasPasscode == false)
        }
        #expect(try keychain.check().isSound)
        // Behind the writer they would have waited for two minutes.
        #expect(ContinuousClock.now - start < .seconds(60))
        #expect(add.current == nil)
        try store.letGo()
        #expect(add.answer == .done)
        #expect(keychain.secret("bert") == .secret("secret"))
    }

    @Test("a read that meets damage waits for nobody to set it aside, and a later one does")
    func damageWhileBusy() throws {
        let store = try TestStore()
        let keychain = store.open(busyTimeoutMilliseconds: 120_000)
        #expect(keychain.add("anna", "secret") == .done)
        let other = try store.raw()
        try other.execute("UPDATE items_genp SET metadata = zeroblob(60)")
        try other.execute("BEGIN IMMEDIATE")
        let start = ContinuousClock.now
        #expect(keychain.secret("anna") == .failed(.decode))
        #expect(ContinuousClock.now - start < .seconds(60))
        #expect(try other.integer("SELECT count(*) FROM items_genp WHERE damage IS NOT NULL") == 0)
        try other.execute("ROLLBACK")
        #expect(keychain.secret("anna") == .failed(.decode))
        #expect(try other.integer("SELECT count(*) FROM items_genp WHERE damage IS NOT NULL") == 1)
    }

    @Test("an earlier keybag is in no file, however much this process reads meanwhile")
    func eraseLogWhileReading() throws {
        let device = try VirtualDevice(passcode: nil, storage: .file)
        let keychain = device.keychain
        #expect(keychain.add("anna", "secret") == .done)
        let path = try #require(device.path)
        let isContinuing = Atomic(true)
        let readers = (0..<3).map { _ in
            Thread.running {
                while isContinuing.load(ordering: .relaxed) { #expect(keychain.secret("anna") == .secret("secret")) }
            }
        }
        let raw = try RawStore(path: "\(path)/keychain.db")
        for round in 0..<4 {
            let old = try #require(try raw.run("SELECT bytes FROM keybag").first ?? nil)
            if round == 0 { try device.setPasscode("1234") } else { try device.changePasscode(to: "\(round)") }
            for name in ["keychain.db", "keychain.db-wal"] {
                let bytes = try FileBytes(path: "\(path)/\(name)")
                #expect(!bytes.contain(Array(old.suffix(32))), "\(name)")
            }
            #expect(try raw.integer("SELECT owes_log_erasure FROM device") == 0)
        }
        isContinuing.store(false, ordering: .relaxed)
        for reader in readers { reader.wait() }
    }

    @Test("passcodes that are set, unlocked and locked beside reading are what the last call says")
    func passcodeWhileReading() throws {
        let device = try VirtualDevice(passcode: nil, storage: .file)
        let keychain = device.keychain
        #expect(keychain.add("anna", "secret", with: ["pdmn": .string("ak")]) == .done)
        let isContinuing = Atomic(true)
        let readers = (0..<3).map { _ in
            Thread.running {
                while isContinuing.load(ordering: .relaxed) { _ = keychain.secret("anna") }
            }
        }
        for _ in 0..<10 {
            try device.setPasscode("1234")
            // A read that began before must not take away what was unlocked after it began.
            #expect(keychain.secret("anna") == .secret("secret"))
            try device.lock()
            #expect(keychain.secret("anna") == .failed(.interactionNotAllowed))
            try device.unlock()
            #expect(keychain.secret("anna") == .secret("secret"))
            try device.removePasscode()
        }
        isContinuing.store(false, ordering: .relaxed)
        for reader in readers { reader.wait() }
    }
}

extension Thread {
    /// Runs `body` on a thread of its own, which a task might not get in time; the semaphore says when it has ended.
    fileprivate static func running(_ body: @escaping @Sendable () -> Void) -> DispatchSemaphore {
        let isDone = DispatchSemaphore(value: 0)
        detachNewThread {
            body()
            isDone.signal()
        }
        return isDone
    }
}
