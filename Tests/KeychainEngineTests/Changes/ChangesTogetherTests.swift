// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainCore
import KeychainEngine
import KeychainStore
import KeychainTestSupport
import Synchronization
import Testing

/// Changes of several threads that share a sync of the log: what each of them answers, and when.
struct ChangesTogetherTests {
    private static let together = StoreOptions(busyTimeoutMilliseconds: 60_000, makesChangesTogether: true)
    private static let accounts = (0..<7).map { "account-\($0)" }

    /// One add of each account.
    private static let adds: [@Sendable (EmbeddedKeychain) -> Answer] = accounts.map { account in
        { $0.add(account, "secret") }
    }

    /// A keychain with one item, whose log was begun.
    private static func begin(_ store: TestStore, _ options: StoreOptions = together) -> EmbeddedKeychain {
        let keychain = store.open(options)
        #expect(keychain.add("anna", "secret") == .done)
        return keychain
    }

    @Test("changes that wait for a sync share the next one, and are all stored")
    func shared() async {
        await #expect(processExitsWith: .success) {
            FaultyFileSystem.install()
            let store = try TestStore()
            defer { withExtendedLifetime(store) {} }
            let keychain = Self.begin(store)
            let (answers, syncs) = HeldSync(keychain: keychain).answers(Self.adds)
            #expect(answers == Self.accounts.map { _ in .done })
            #expect(syncs == 2)
            let everything = Answer.accounts(Set(["anna", "first"] + Self.accounts))
            #expect(keychain.everything() == everything)
            #expect(try store.afterRestart { $0.everything() } == everything)
        }
    }

    @Test("without the option each change has a sync of its own")
    func alone() async {
        await #expect(processExitsWith: .success) {
            FaultyFileSystem.install()
            let store = try TestStore()
            defer { withExtendedLifetime(store) {} }
            let keychain = Self.begin(store, StoreOptions())
            let syncs = Atomic(0)
            FaultyFileSystem.beforeLogSync = { syncs.add(1, ordering: .relaxed) }
            let calls = Self.adds.map { HeldSync.Call(keychain, $0) }
            #expect(calls.map(\.answer) == Self.accounts.map { _ in .done })
            #expect(syncs.load(ordering: .relaxed) == 7)
            #expect(try store.afterRestart { $0.everything() } == .accounts(Set(["anna"] + Self.accounts)))
        }
    }

    @Test("no change is answered, or seen by a reader, before its sync")
    func notBeforeSync() async {
        await #expect(processExitsWith: .success) {
            FaultyFileSystem.install()
            let store = try TestStore()
            defer { withExtendedLifetime(store) {} }
            let keychain = Self.begin(store)
            let answered = Atomic(0)
            let seen = Mutex<Answer?>(nil)
            // Another keychain, because the thread of the sync is inside a call. Its end syncs the log, too.
            let other = store.open()
            defer { withExtendedLifetime(other) {} }
            let held = HeldSync(keychain: keychain) {
                #expect(answered.load(ordering: .relaxed) == 0)
                let reader = HeldSync.Call(other) { $0.everything() }
                seen.withLock { $0 = reader.answer }
            }
            let (answers, syncs) = held.answers(
                Self.adds.map { add in
                    { keychain in
                        let answer = add(keychain)
                        answered.add(1, ordering: .relaxed)
                        return answer
                    }
                }
            )
            #expect(answers == Self.accounts.map { _ in .done })
            #expect(syncs == 2)
            #expect(seen.withLock(\.self) == .accounts(["anna", "first"]))
        }
    }

    @Test("where the sync of several changes fails, each is made by itself")
    func failedSync() async {
        await #expect(processExitsWith: .success) {
            FaultyFileSystem.install()
            let store = try TestStore()
            defer { withExtendedLifetime(store) {} }
            let keychain = Self.begin(store)
            let held = HeldSync(keychain: keychain) { FaultyFileSystem.failingLogSyncs = 1 }
            let (answers, syncs) = held.answers(Self.adds)
            #expect(answers == Self.accounts.map { _ in .done })
            // The first one, the one that fails, that of taking it back, and one for each.
            #expect(syncs == 3 + 7)
            let everything = Answer.accounts(Set(["anna", "first"] + Self.accounts))
            #expect(keychain.everything() == everything)
            #expect(try store.afterRestart { $0.everything() } == everything)
        }
    }

    @Test("where that cannot be taken back either, all of them say so, and none is made twice")
    func doubtfulSync() async {
        await #expect(processExitsWith: .success) {
            FaultyFileSystem.install()
            let store = try TestStore()
            defer { withExtendedLifetime(store) {} }
            let keychain = Self.begin(store)
            let held = HeldSync(keychain: keychain) { FaultyFileSystem.failingLogSyncs = 2 }
            let (answers, syncs) = held.answers(Self.adds)
            #expect(answers == Self.accounts.map { _ in .failed(.io) })
            #expect(syncs == 3)
            #expect(keychain.everything() == .accounts(["anna", "first"]))
            #expect(keychain.update("anna", "secret") == .done)
            #expect(try store.afterRestart { $0.everything() } == .accounts(["anna", "first"]))
        }
    }

    @Test("an error is about what is stored: one of two adds of an item succeeds, also where the sync of both fails")
    func duplicates() async {
        await #expect(processExitsWith: .success) {
            FaultyFileSystem.install()
            for failures in 0...2 {
                let store = try TestStore()
                defer { withExtendedLifetime(store) {} }
                let keychain = Self.begin(store)
                let held = HeldSync(keychain: keychain) { FaultyFileSystem.failingLogSyncs = failures }
                let (answers, _) = held.answers([
                    { $0.add("bert", "one") }, { $0.add("bert", "two") }, { $0.delete("carl") },
                ])
                // Where the sync fails, the first add was not stored, and so the second one is no duplicate.
                let possible: [[Answer]] =
                    failures > 0
                    ? [[.failed(.io), .done, .failed(.itemNotFound)]]
                    : [
                        [.done, .failed(.duplicateItem), .failed(.itemNotFound)],
                        [.failed(.duplicateItem), .done, .failed(.itemNotFound)],
                    ]
                #expect(possible.contains(answers), "\(answers)")
                let secret = Answer.secret(answers[0] == .done ? "one" : "two")
                #expect(keychain.secret("bert") == secret)
                #expect(try store.afterRestart { $0.secret("bert") } == secret)
            }
        }
    }

    @Test("changes see those before them in the same group: an add, an update and a delete of one item")
    func sequence() async {
        await #expect(processExitsWith: .success) {
            FaultyFileSystem.install()
            let store = try TestStore()
            defer { withExtendedLifetime(store) {} }
            let keychain = Self.begin(store)
            let (answers, syncs) = HeldSync(keychain: keychain).answers([
                { $0.add("bert", "one") }, { $0.update("bert", "two") }, { $0.delete("anna") },
                { $0.add("anna", "new") },
            ])
            #expect(answers == [.done, .done, .done, .done])
            #expect(syncs == 2)
            #expect(keychain.secret("bert") == .secret("two"))
            #expect(keychain.secret("anna") == .secret("new"))
            #expect(try store.afterRestart { $0.everything() } == .accounts(["anna", "bert", "first"]))
        }
    }

    @Test("one change that the disk has no room for fails alone")
    func full() async {
        await #expect(processExitsWith: .success) {
            FaultyFileSystem.install()
            let store = try TestStore()
            defer { withExtendedLifetime(store) {} }
            let keychain = Self.begin(store)
            let held = HeldSync(keychain: keychain)
            let large = String(repeating: "x", count: 400_000)
            // Enough for the small ones.
            let room = 200_000
            let calls: [@Sendable (EmbeddedKeychain) -> Answer] = [
                { keychain in
                    FaultyFileSystem.room = (room, ENOSPC)
                    return keychain.add("bert", "secret")
                },
                { $0.add("carl", large) }, { $0.delete("anna") }, { $0.add("dora", "secret") },
            ]
            let (answers, _) = held.answers(calls)
            #expect(answers == [.done, .failed(.diskFull), .done, .done])
            #expect(keychain.everything() == .accounts(["bert", "dora", "first"]))
            FaultyFileSystem.room = nil
            #expect(try keychain.check().isSound)
        }
    }

    @Test("the authenticator is asked on the thread of the call that it is asked for")
    func ownThread() async {
        await #expect(processExitsWith: .success) {
            FaultyFileSystem.install()
            let authenticator = ThreadAuthenticator()
            let store = try TestStore()
            defer { withExtendedLifetime(store) {} }
            let keychain = store.open(Self.together, authenticator: authenticator)
            try keychain.device.setPasscode(SecretBytes([1, 2, 3, 4]))
            #expect(keychain.add("anna", "secret") == .done)
            let (answers, _) = HeldSync(keychain: keychain).answers(
                Self.accounts.map { account in
                    { keychain in
                        ThreadAuthenticator.callOfThread = account
                        return keychain.add(account, "secret", with: .access(.biometryCurrentSet))
                    }
                }
            )
            #expect(answers == Self.accounts.map { _ in .done })
            #expect(authenticator.calls == Set(Self.accounts))
        }
    }

    @Test("a row that does not open is set aside by the change that finds it, as without the option")
    func damaged() throws {
        let store = try TestStore()
        let keychain = Self.begin(store)
        try store.raw().execute("UPDATE items_genp SET metadata = zeroblob(length(metadata))")
        #expect(keychain.update("anna", "other") == .failed(.decode))
        #expect(try store.raw().run("SELECT damage FROM items_genp WHERE damage IS NOT NULL").count == 1)
    }

    @Test("a change whose time is over while it waits is errSecNotAvailable, and is never made")
    func timeOver() async {
        await #expect(processExitsWith: .success) {
            FaultyFileSystem.install()
            let store = try TestStore()
            defer { withExtendedLifetime(store) {} }
            let keychain = Self.begin(
                store,
                StoreOptions(busyTimeoutMilliseconds: 100, makesChangesTogether: true)
            )
            let (isHeld, mayGoOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
            FaultyFileSystem.beforeLogSync = {
                isHeld.signal()
                mayGoOn.wait()
            }
            let first = HeldSync.Call(keychain) { $0.add("first", "secret") }
            isHeld.wait()
            #expect(keychain.add("bert", "secret") == .failed(.notAvailable))
            #expect(keychain.waitingChangeCount == 0)
            FaultyFileSystem.beforeLogSync = {}
            mayGoOn.signal()
            #expect(first.answer == .done)
            #expect(keychain.add("carl", "secret") == .done)
            #expect(keychain.everything() == .accounts(["anna", "carl", "first"]))
        }
    }

    @Test("what was answered was synced before: a power failure takes none of it")
    func powerFailure() async {
        await #expect(processExitsWith: .success) {
            FaultyFileSystem.install()
            let store = try TestStore()
            defer { withExtendedLifetime(store) {} }
            let keychain = Self.begin(store)
            // The log as it was at the last sync, of which a power failure leaves no less.
            let synced = Mutex<[[UInt8]]>([])
            let database = try store.contents()
            FaultyFileSystem.beforeLogSync = {
                let log = (try? store.bytes(of: "keychain.db-wal")) ?? []
                synced.withLock { $0.append(log) }
            }
            let answered = Mutex<[(account: String, sync: Int)]>([])
            let threads = (0..<8).map { thread in
                HeldSync.Call(keychain) { keychain in
                    for index in 0..<4 {
                        guard keychain.add("\(thread)-\(index)", "secret") == .done else { return .failed(.io) }
                        let sync = synced.withLock(\.count) - 1
                        answered.withLock { $0.append(("\(thread)-\(index)", sync)) }
                    }
                    return .done
                }
            }
            #expect(threads.map(\.answer) == Array(repeating: .done, count: 8))
            FaultyFileSystem.beforeLogSync = {}
            let logs = synced.withLock(\.self)
            #expect(logs.count < 32, "each change had a sync of its own")
            for (sync, log) in logs.enumerated() {
                var files = database.mapValues { Array($0) }
                files["keychain.db-wal"] = log
                let expected = answered.withLock { $0.filter { $0.sync == sync }.map(\.account) }
                let copy = try TestStore.of(files)
                let everything = copy.open().everything()
                try FileManager.default.removeItem(atPath: copy.path)
                guard case .accounts(let found) = everything else {
                    Issue.record("the store is not readable")
                    continue
                }
                #expect(found.isSuperset(of: expected))
            }
        }
    }
}

/// An authenticator with biometry that notes for which calls the threads are on which it is asked for it.
private final class ThreadAuthenticator: Authenticator {
    private static let key = "call"

    /// What the thread calls.
    ///
    /// Not its name: a thread cannot name itself before the one that made it has noted that it did.
    static var callOfThread: String {
        get { Thread.current.threadDictionary[key] as? String ?? "" }
        set { Thread.current.threadDictionary[key] = newValue }
    }

    private let names = Mutex<Set<String>>([])

    /// The calls of the threads that it was asked on.
    var calls: Set<String> { names.withLock(\.self) }

    var biometry: Biometry {
        names.withLock { _ = $0.insert(Self.callOfThread) }
        return Biometry(.touchID, enrolledSet: Bytes16(Array(repeating: 1, count: 16)))
    }

    var canAskForSecrets: Bool { false }

    func ask(_ prompt: AuthenticationPrompt) -> AuthenticationReply { .unavailable }
}
