// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import KeychainCore
import KeychainHost
import KeychainProtection
import KeychainStore
import KeychainTestSupport
import Testing

@testable import KeychainEngine

/// How many calls read at the same time.
struct ReaderTests {
    private static func access(_ store: TestStore, readers: Int) -> EngineAccess {
        let options = StoreOptions(busyTimeoutMilliseconds: 60_000, readerCount: readers)
        return EngineAccess(
            to: .folder(KeychainLocation(path: store.path), options),
            device: DeviceOptions(),
            clock: SystemClock(),
            random: SystemRandomSource()
        )
    }

    /// How many items an engine sees.
    private static func count(_ engine: Engine) throws(KeychainError) -> Int {
        try engine.read { (reader) throws(KeychainError) in try reader.rows(RowFilter(.genericPassword)).count }
    }

    @Test("as many calls as there are readers read side by side, and the next one waits", arguments: 1...4)
    func sideBySide(_ readers: Int) throws {
        let store = try TestStore()
        defer { withExtendedLifetime(store) {} }
        #expect(store.open().add("anna", "secret") == .done)
        let access = Self.access(store, readers: readers)
        let (isInside, mayLeave) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let calls = (0..<readers).map { _ in
            HeldSync.Call(store.open()) { _ in
                let count = try? access.withEngine(.reading) { (engine) throws(KeychainError) in
                    let count = try Self.count(engine)
                    isInside.signal()
                    mayLeave.wait()
                    return count
                }
                return count == 1 ? .done : .failed(.internalComponent)
            }
        }
        // All of them are inside at the same time.
        for _ in calls { isInside.wait() }
        let failure = #expect(throws: KeychainError.self) {
            try access.withEngine(.reading, until: Deadline(milliseconds: 20)) { _ in }
        }
        #expect(failure?.isBusy == true)
        // A change waits for none of them; who has to be alone does.
        try access.withEngine(.changing, until: Deadline(milliseconds: 20_000)) { _ in }
        #expect(throws: KeychainError.self) {
            try access.withEngine(.exclusive, until: Deadline(milliseconds: 20)) { _ in }
        }
        for _ in calls { mayLeave.signal() }
        #expect(calls.map(\.answer) == calls.map { _ in .done })
        try access.withEngine(.exclusive) { _ in }
    }

    @Test("each reader sees what was answered before its call began")
    func freshness() throws {
        let store = try TestStore()
        defer { withExtendedLifetime(store) {} }
        let keychain = store.open(
            StoreOptions(busyTimeoutMilliseconds: 60_000, makesChangesTogether: true, readerCount: 3)
        )
        let calls = (0..<6).map { thread in
            HeldSync.Call(keychain) { keychain in
                for index in 0..<30 {
                    let account = "\(thread)-\(index)"
                    guard keychain.secret(account) == .failed(.itemNotFound),
                        keychain.add(account, account) == .done, keychain.secret(account) == .secret(account),
                        keychain.update(account, "new") == .done, keychain.secret(account) == .secret("new"),
                        index % 2 == 0 || keychain.delete(account) == .done
                    else { return .failed(.internalComponent) }
                }
                return .done
            }
        }
        #expect(calls.map(\.answer) == calls.map { _ in .done })
        let kept = (0..<6).flatMap { thread in stride(from: 0, to: 30, by: 2).map { "\(thread)-\($0)" } }
        #expect(keychain.everything() == .accounts(Set(kept)))
        #expect(try keychain.check().isSound)
    }

    @Test("a look into a keychain that another thread is making finds nothing, or what that stored")
    func firstLooks() throws {
        for round in 0..<100 {
            let store = try TestStore()
            defer { withExtendedLifetime(store) {} }
            let options = StoreOptions(busyTimeoutMilliseconds: 60_000, makesChangesTogether: true, readerCount: 3)
            let keychain = store.open(options)
            let calls = (0..<6).map { thread in
                HeldSync.Call(keychain) { keychain in
                    let first = keychain.secret("\(thread)")
                    guard first == .failed(.itemNotFound) else { return first }
                    let added = keychain.add("\(thread)", "secret")
                    guard added == .done else { return added }
                    return keychain.secret("\(thread)")
                }
            }
            #expect(calls.map(\.answer) == calls.map { _ in .secret("secret") }, "round \(round)")
        }
    }

    @Test("an earlier keybag is in no file, however many readers have the store open")
    func emptiedLog() throws {
        let store = try TestStore()
        defer { withExtendedLifetime(store) {} }
        let keychain = store.open(StoreOptions(busyTimeoutMilliseconds: 60_000, readerCount: 3))
        #expect(keychain.add("anna", "secret") == .done)
        let calls = (0..<6).map { _ in HeldSync.Call(keychain) { $0.secret("anna") } }
        try keychain.device.setPasscode(SecretBytes([1, 2, 3, 4]))
        #expect(calls.map(\.answer) == calls.map { _ in .secret("secret") })
        #expect(try store.bytes(of: "keychain.db-wal").count <= 32 + 2 * (4_096 + 24), "the log was emptied")
    }

    @Test("who locks waits for long calls only once, however many of them there are")
    func waitingForAll() {
        let lanes = Lanes(readers: 50)
        let (begun, isOver, ended) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0), DispatchGroup())
        let uses = [EngineAccess.Use](repeating: .reading, count: 50) + [.changing]
        for use in uses {
            ended.enter()
            _ = HostThread.start(.blocked) {
                try? lanes.withConnections(use) { _ in
                    begun.signal()
                    isOver.wait()
                }
                ended.leave()
            }
        }
        for _ in uses { begun.wait() }
        let start = ContinuousClock.now
        lanes.waitForEach(milliseconds: 1_500)
        let duration = start.duration(to: .now)
        // A wait for each would take more than a minute.
        #expect(duration >= .milliseconds(1_400) && duration < .seconds(60), "\(duration)")
        for _ in uses { isOver.signal() }
        ended.wait()
    }
}
