// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import Glibc
import KeychainCore
import KeychainEngine
import KeychainHost
import KeychainProtection
import KeychainStore
import KeychainTestSupport
import Synchronization
import Testing

/// What becomes of a store of format 2 when it is opened (Documentation/Format.md, "From format 2").
struct FormatMigrationTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func home(_ name: String) throws -> String { try ReleasedStoreTests.copy(name, into: folder) }

    private func raw(_ home: String) throws -> RawStore { try RawStore(path: "\(home)/keychain.db") }

    /// The search tags of digests that a store of format 2 shows.
    private func digestTags(_ home: String) throws -> [Data] {
        try ["genp", "inet", "cert", "keys"].flatMap { itemClass in
            try raw(home).run("SELECT t_sha1 FROM items_\(itemClass)").compactMap { $0.map { Data($0) } }
        }
    }

    private func expectNone(of tags: [Data], in home: String) throws {
        for name in try FileManager.default.contentsOfDirectory(atPath: home) {
            let contents = try Data(contentsOf: URL(fileURLWithPath: "\(home)/\(name)"))
            for tag in tags { #expect(contents.range(of: tag) == nil, "\(name)") }
        }
    }

    private func count(_ home: String, _ condition: String) throws -> Int {
        try ["genp", "inet", "cert", "keys"].reduce(0) {
            try $0 + raw(home).integer("SELECT count(*) FROM items_\($1) WHERE \(condition)")
        }
    }

    @Test("without a passcode the first call leaves no digest's tag in any file, and every row resealed")
    func withoutPasscode() throws {
        let home = try home("format-2")
        let tags = try digestTags(home)
        #expect(tags.count == 5)
        let keychain = EmbeddedKeychain(at: KeychainLocation(path: home))
        #expect(try keychain.check().intactRows == SampleItems.all.count + 1)
        try raw(home).checkpoint()
        try expectNone(of: tags, in: home)
        #expect(try count(home, "former IS NOT NULL") == 0)
        #expect(try count(home, "length(secret) % 32 <> 28") == 0)
        #expect(try raw(home).integer("PRAGMA user_version") == 0x0300)
    }

    @Test(
        "with a passcode the tags go at once, before any unlock, and the lengths of locked items with the next unlock"
    )
    func withPasscode() throws {
        let home = try home("format-2-passcode")
        let tags = try digestTags(home)
        #expect(tags.count == 12)
        let keychain = EmbeddedKeychain(at: KeychainLocation(path: home), device: GuardedItems.options)
        try GuardedItems.expectLocked(keychain)
        try raw(home).checkpoint()
        try expectNone(of: tags, in: home)
        let locked = try count(home, "protection NOT IN ('dk', 'dku')")
        #expect(try count(home, "length(former) = 44") == locked && locked > 0)
        #expect(try count(home, "former IS NOT NULL") == locked)
        try keychain.device.unlock(passcode: GuardedItems.passcode)
        #expect(try count(home, "former IS NOT NULL") == 0)
        try GuardedItems.expectContents(of: keychain)
        let other = EmbeddedKeychain(at: KeychainLocation(path: home), device: GuardedItems.options)
        try other.device.unlock(passcode: GuardedItems.passcode)
        try GuardedItems.expectContents(of: other)
    }

    private static func failureOfAdding(to keychain: EmbeddedKeychain) -> KeychainError? {
        do throws(KeychainError) {
            _ = try keychain.perform(KeychainRequest(.add(SampleItems.deleted), client: SampleItems.client))
            return nil
        } catch {
            return error
        }
    }

    @Test("where there is no room for it, the store is read as it is, and a change says why it cannot be made")
    func noRoom() async {
        await #expect(processExitsWith: .success) {
            FaultyFileSystem.install()
            let tests = try FormatMigrationTests()
            let home = try tests.home("format-2")
            // For the index of the log and little more.
            FaultyFileSystem.room = (40_000, ENOSPC)
            let keychain = EmbeddedKeychain(at: KeychainLocation(path: home))
            #expect(try keychain.check().intactRows == SampleItems.all.count + 1)
            let failure = Self.failureOfAdding(to: keychain)
            #expect(failure?.status == .diskFull)
            #expect(failure?.reason.contains("format 2.0, and could not be brought up to date") ?? false)
            #expect(try tests.raw(home).integer("PRAGMA user_version") == 0x0200)
            FaultyFileSystem.room = nil
            let again = EmbeddedKeychain(at: KeychainLocation(path: home))
            _ = try again.perform(KeychainRequest(.add(SampleItems.deleted), client: SampleItems.client))
            #expect(try tests.raw(home).integer("PRAGMA user_version") == 0x0300)
        }
    }

    @Test("a store that has reached its limit is brought up to date all the same")
    func atItsLimit() throws {
        let home = try home("format-2")
        var options = StoreOptions()
        options.maximumPageCount = try raw(home).integer("PRAGMA page_count")
        let keychain = EmbeddedKeychain(at: KeychainLocation(path: home), options: options)
        #expect(try keychain.check().intactRows == SampleItems.all.count + 1)
        #expect(try raw(home).integer("PRAGMA user_version") == 0x0300)
    }

    @Test("a damaged item is damaged afterwards, in quarantine or not, and the others are not")
    func damaged() throws {
        let home = try home("format-2")
        try raw(home).execute("UPDATE items_inet SET secret = zeroblob(40)")
        try raw(home).execute("UPDATE items_cert SET metadata = zeroblob(40), damage = 1")
        let report = try EmbeddedKeychain(at: KeychainLocation(path: home)).check()
        #expect(report.intactRows == SampleItems.all.count - 1)
        #expect(report.damagedRows.count == 2)
    }

    @Test("a process that is killed while rows are resealed loses none", arguments: 1...14)
    func killed(_ count: Int) async throws {
        let home = try home("format-2-passcode")
        let result = await #expect(processExitsWith: .failure) { [home = home as String, count = count as Int] in
            let keychain = EmbeddedKeychain(
                at: KeychainLocation(path: home),
                device: GuardedItems.options,
                random: KillingSource(after: count)
            )
            try keychain.device.unlock(passcode: GuardedItems.passcode)
            // There were fewer rows.
            kill(getpid(), SIGKILL)
        }
        #expect(result?.exitStatus == .signal(SIGKILL))
        let keychain = EmbeddedKeychain(at: KeychainLocation(path: home), device: GuardedItems.options)
        try GuardedItems.expectLocked(keychain)
        try keychain.device.unlock(passcode: GuardedItems.passcode)
        try GuardedItems.expectContents(of: keychain)
        #expect(try self.count(home, "former IS NOT NULL") == 0)
    }

    @Test("calls of several keychains that open it at once all find everything")
    func together() throws {
        let home = try home("format-2")
        let failures = Mutex<[String]>([])
        DispatchQueue.concurrentPerform(iterations: 6) { _ in
            do {
                let keychain = EmbeddedKeychain(at: KeychainLocation(path: home))
                let count = try keychain.check().intactRows
                if count != SampleItems.all.count + 1 { failures.withLock { $0.append("\(count)") } }
            } catch {
                failures.withLock { $0.append("\(error)") }
            }
        }
        #expect(failures.withLock(\.self) == [])
        #expect(try raw(home).integer("PRAGMA user_version") == 0x0300)
    }
}

/// Kills this process when it is asked for the last of so many versions of rows.
private final class KillingSource: RandomSource, @unchecked Sendable {
    private var left: Int

    init(after count: Int) { left = count }

    func bytes16() -> Bytes16 {
        left -= 1
        if left == 0 { kill(getpid(), SIGKILL) }
        return SystemRandomSource().bytes16()
    }
}
