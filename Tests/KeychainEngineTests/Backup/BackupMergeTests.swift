// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainCore
import KeychainEngine
import KeychainHost
import KeychainProtection
import KeychainTestSupport
import Testing

/// A backup that is merged into a keychain that has items.
struct BackupMergeTests {
    private static let secret = SecretBytes(Array("the secret of the backup".utf8))

    private let source: TestStore
    private let target: TestStore
    private let keychain: EmbeddedKeychain
    private var backup: String { source.folder.path(of: "backup") }

    init() throws {
        source = try TestStore()
        target = try TestStore()
        keychain = target.open()
        let original = source.open()
        for account in ["anna", "bert", "carl"] { #expect(original.add(account, "of \(account)") == .done) }
        _ = try original.createBackup(at: backup, secret: Self.secret)
        #expect(keychain.add("anna", "of anna") == .done)
        #expect(keychain.add("bert", "another") == .done)
        #expect(keychain.add("dora", "of dora") == .done)
    }

    @discardableResult
    private func merge(
        _ conflicts: BackupMerge.Conflicts = .refuse,
        isTrial: Bool = false,
        items: Set<ItemIdentifier>? = nil,
        into keychain: EmbeddedKeychain? = nil
    ) throws -> BackupMergeReport {
        try (keychain ?? self.keychain).maintenance.mergeBackup(
            from: .path(backup),
            secret: Self.secret,
            BackupMerge(conflicts, isTrial: isTrial, items: items)
        )
    }

    private func names(_ names: BackupMergeReport.Names) -> [String] { names.first.map(\.account) }

    @Test("a trial says what would be added, what is equal and what differs, and changes nothing")
    func trial() throws {
        try target.checkpoint()
        let before = try target.contents()["keychain.db"]
        let report = try merge(.keepTheirs, isTrial: true)
        #expect(!report.isApplied && report.equal == 1)
        #expect(names(report.added) == ["carl"] && names(report.differing) == ["bert"])
        try target.checkpoint()
        #expect(try target.contents()["keychain.db"] == before)
        #expect(keychain.secret("bert") == .secret("another") && keychain.secret("carl") == .failed(.itemNotFound))
    }

    @Test("while an item differs and no choice was made, nothing is added either")
    func undecided() throws {
        let report = try merge()
        #expect(!report.isApplied && names(report.added) == ["carl"] && names(report.differing) == ["bert"])
        #expect(keychain.secret("carl") == .failed(.itemNotFound))
        #expect(keychain.everything() == .accounts(["anna", "bert", "dora"]))
    }

    @Test(
        "what differs is kept or replaced as chosen, all in one transaction; a second time changes nothing",
        arguments: [(BackupMerge.Conflicts.keepOurs, "another"), (.keepTheirs, "of bert")]
    )
    func choice(_ conflicts: BackupMerge.Conflicts, _ secret: String) throws {
        let report = try merge(conflicts)
        #expect(report.isApplied && report.equal == 1)
        #expect(keychain.secret("bert") == .secret(secret))
        #expect(keychain.secret("carl") == .secret("of carl") && keychain.secret("dora") == .secret("of dora"))
        let again = try merge(conflicts)
        #expect(again.isApplied && again.added.count == 0)
        #expect(again.equal == (conflicts == .keepTheirs ? 3 : 2))
        #expect(try target.open().check().isSound)
    }

    @Test("an item that is replaced keeps its identifier, and one that is added has that of the backup if it is free")
    func identifiers() throws {
        func identifiers(_ store: TestStore) throws -> [[UInt8]?] {
            try store.raw().run("SELECT uuid FROM items_genp ORDER BY id").map { $0 }
        }
        let before = Set(try identifiers(target))
        try merge(.keepTheirs)
        let after = Set(try identifiers(target))
        #expect(before.isSubset(of: after) && after.count == before.count + 1)
        #expect(after.subtracting(before).isSubset(of: Set(try identifiers(source))))
    }

    @Test("an item whose identifier another item has is added under another one")
    func takenIdentifier() throws {
        let restored = try TestStore()
        _ = try EmbeddedKeychain.restoreBackup(
            from: backup,
            secret: Self.secret,
            to: KeychainLocation(path: restored.path),
            floor: ScryptFloor(of: .minimum)
        )
        let other = restored.open()
        let renamed = other.answer(
            .update(
                ["class": .string("genp"), "acct": .string("carl")],
                attributes: ["acct": .string("charles")]
            )
        ) { _ in .done }
        #expect(renamed == .done)
        #expect(names(try merge(into: other).added) == ["carl"])
        #expect(other.everything() == .accounts(["anna", "bert", "carl", "charles"]))
        #expect(try other.check().isSound)
    }

    @Test("only the items that are asked for are taken")
    func items() throws {
        let all = try BackupInspection(of: backup).contents(Self.secret, atLeast: ScryptFloor(of: .minimum)).items
        let carl = try #require(all.first { $0.account == "carl" })
        let report = try merge(items: [carl.identifier])
        #expect(report.isApplied && report.added.count == 1 && report.equal == 0 && report.differing.count == 0)
        #expect(keychain.everything() == .accounts(["anna", "bert", "carl", "dora"]))
    }

    @Test("an empty keychain, and one that does not exist, take everything")
    func empty() throws {
        for store in [try TestStore(), try TestStore()] {
            #expect(try merge(into: store.open()).added.count == 3)
            #expect(store.open().everything() == .accounts(["anna", "bert", "carl"]))
        }
        #expect(try merge(isTrial: true, into: TestStore().open()).added.count == 3)
    }

    @Test("a backup that was altered changes nothing, although its other rows open")
    func altered() throws {
        try RawStore(path: backup).execute("DELETE FROM items_genp WHERE id = 1")
        let failure = #expect(throws: KeychainError.self) { try merge(.keepTheirs) }
        #expect(failure?.status == .notAvailable)
        #expect(keychain.everything() == .accounts(["anna", "bert", "dora"]))
        #expect(keychain.secret("bert") == .secret("another"))
    }

    @Test("a locked keychain takes nothing, nor is it compared", arguments: [false, true])
    func locked(_ isTrial: Bool) throws {
        try keychain.device.setPasscode(SecretBytes(Array("1234".utf8)))
        try keychain.device.lock()
        let failure = #expect(throws: KeychainError.self) { try merge(.keepTheirs, isTrial: isTrial) }
        #expect(failure?.status == .interactionNotAllowed)
        try keychain.device.unlock(passcode: SecretBytes(Array("1234".utf8)))
        #expect(try merge(.keepTheirs, isTrial: isTrial).differing.count == 1)
    }

    @Test("a wrong secret takes nothing")
    func wrongSecret() throws {
        let failure = #expect(throws: KeychainError.self) {
            try keychain.maintenance.mergeBackup(from: .path(backup), secret: SecretBytes([1]), BackupMerge())
        }
        #expect(failure?.status == .authenticationFailed)
    }

    @Test("a damaged item is set aside, and comes back from the backup")
    func damaged() throws {
        try target.raw().execute("UPDATE items_genp SET metadata = randomblob(length(metadata)) WHERE id = 1")
        let report = try merge(.keepOurs)
        #expect(report.isApplied && names(report.added) == ["anna", "carl"])
        #expect(keychain.secret("anna") == .secret("of anna"))
        #expect(try target.raw().integer("SELECT count(*) FROM items_genp WHERE damage IS NOT NULL") == 1)
    }

    @Test("an item that was deleted on all devices is there again, newer than its tombstone")
    func tombstone() throws {
        let store = try TestStore()
        let synchronizable: [String: PropertyValue] = ["sync": .boolean(true)]
        let first = store.open()
        #expect(first.add("erik", "of erik", with: synchronizable) == .done)
        let path = store.folder.path(of: "of erik")
        _ = try first.createBackup(at: path, secret: Self.secret)
        #expect(first.delete("erik", synchronizable) == .done)
        let report = try first.maintenance.mergeBackup(from: .path(path), secret: Self.secret, BackupMerge())
        #expect(report.added.count == 1)
        #expect(first.secret("erik", synchronizable) == .secret("of erik"))
        #expect(try store.raw().integer("SELECT count(*) FROM items_genp") == 1)
    }

    @Test("a hundred items more than a report names are counted")
    func many() throws {
        let store = try TestStore()
        let full = store.open()
        for number in 0..<(BackupMergeReport.Names.maximumKept + 100) {
            #expect(full.add("account \(number)", "x") == .done)
        }
        let path = store.folder.path(of: "full")
        _ = try full.createBackup(at: path, secret: Self.secret)
        let report = try keychain.maintenance.mergeBackup(from: .path(path), secret: Self.secret, BackupMerge())
        #expect(report.added.count == BackupMergeReport.Names.maximumKept + 100)
        #expect(report.added.first.count == BackupMergeReport.Names.maximumKept)
    }
}
