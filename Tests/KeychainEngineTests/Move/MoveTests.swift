// SPDX-License-Identifier: Apache-2.0

import Foundation
import HostFiles
import KeychainCore
import KeychainProtection
import KeychainStore
import KeychainTestSupport
import Synchronization
import Testing

@testable import KeychainEngine

/// A keychain that is moved from one store to another one, row by row, as the same device.
struct MoveTests {
    private static let passcode = SecretBytes([1, 2, 3, 4])

    private let source: TestStore
    private let target: TestStore

    init() throws { (source, target) = (try TestStore(), try TestStore()) }

    @Test("items of all classes, passcode, lock, enclave keys, tombstones and quarantine arrive, and nothing stays")
    func everything() throws {
        let keychain = source.open()
        try fill(keychain)
        let key = try keychain.enclave.makeKey(.p256, .of(.whenUnlocked, []), nil).sealed
        try keychain.device.setPasscode(Self.passcode)
        #expect(keychain.add("protected", "akpu", ["pdmn": .string("akpu")]) == .done)
        #expect(keychain.add("deleted", "secret", ["sync": .boolean(true)]) == .done)
        #expect(keychain.delete("deleted", ["sync": .boolean(true)]) == .done)
        #expect(keychain.add("damaged", "secret") == .done)
        try source.raw().run("UPDATE items_genp SET secret = x'00' WHERE id = (SELECT max(id) FROM items_genp)")
        #expect(keychain.secret("damaged") == .failed(.decode))
        try keychain.device.lock()
        let before = try description(of: keychain)

        try move(from: source, to: target)
        let moved = target.open()
        #expect(try moved.device.status().lockState == .beforeFirstUnlock)
        #expect(moved.secret("anna") == .failed(.interactionNotAllowed))
        #expect(throws: KeychainError.self) { try moved.device.unlock(passcode: SecretBytes([9])) }
        try moved.device.unlock(passcode: Self.passcode)
        for account in ["anna", "bert"] { #expect(moved.secret(account) == .secret("secret of \(account)")) }
        #expect(moved.secret("protected") == .secret("akpu"))
        _ = try moved.enclave.perform(.sign(digest: [UInt8](repeating: 1, count: 32)), with: key, nil)
        let after = try description(of: moved)
        #expect(after == before)
        let report = try moved.check()
        #expect(report.structuralDefects.isEmpty && report.damagedRows.count == 1 && report.intactRows >= 6)

        let left = source.open()
        #expect(try !left.moveStatus().hasContents)
        #expect(try left.moveStatus().storeIdentifier != moved.moveStatus().storeIdentifier)
        #expect(try source.bytes(of: "root.key") != target.bytes(of: "root.key"))
        #expect(left.add("anna", "another") == .done)
    }

    @Test("a program that has a store open goes on after the keychain went away and came back, or another one began")
    func openElsewhere() throws {
        let program = source.open()
        try fill(program)
        try move(from: source, to: target)
        #expect(program.secret("anna") == .failed(.itemNotFound), "another device in the same store")
        #expect(target.open().secret("anna") == .secret("secret of anna"))
        try move(from: target, to: source)
        #expect(program.secret("anna") == .secret("secret of anna"))
        #expect(try program.check().isSound)
    }

    @Test("while it is moved, nobody opens the store, and the error says so")
    func frozen() throws {
        let keychain = source.open()
        try fill(keychain)
        try keychain.handOver(to: .moving)
        #expect(keychain.failure()?.foreignOwner == .moving)
        #expect(keychain.failure()?.reason.contains("being moved") == true)
        try opened(source, .moving).handOver(to: .embedded)
        #expect(keychain.secret("anna") == .secret("secret of anna"))
    }

    @Test("a store opens with the root key that its keybag is under, in place or not; the next move puts it in place")
    func unsettledRootKey() throws {
        try fill(source.open())
        let former = try source.bytes(of: "root.key")
        #expect(target.open().add("other", "x") == .done)
        // One that was prepared for a keybag that did not come counts for nothing.
        try source.write(try target.bytes(of: "root.key"), to: Self.nextKey)
        #expect(source.open().secret("anna") == .secret("secret of anna"))
        #expect(try source.bytes(of: "root.key") == former)

        try source.write(former, to: Self.otherNextKey)
        try source.write([UInt8](repeating: 7, count: 32), to: "root.key")
        #expect(source.open().secret("anna") == .secret("secret of anna"))
        #expect(try source.open().movedDevice().rootKey == SecretBytes(former))
        #expect(try source.bytes(of: "root.key") != former, "who only opens it leaves the files as they are")

        try EmbeddedKeychain.discardRemains(at: KeychainLocation(path: source.path), Self.options)
        #expect(try source.bytes(of: "root.key") == former)
        #expect(try source.contents().keys.filter { $0.hasPrefix("root.key") } == ["root.key"])
        #expect(source.open().secret("anna") == .secret("secret of anna"))
    }

    @Test("a copy that somebody made of the root key is neither used nor removed")
    func copyOfRootKey() throws {
        try fill(source.open())
        let rootKey = try source.bytes(of: "root.key")
        let copies = [".bak", ".1", "." + String(repeating: "0A", count: 16), "." + String(repeating: "0a", count: 17)]
        for copy in copies { try source.write(rootKey, to: "root.key\(copy)") }
        let location = KeychainLocation(path: source.path)
        #expect(try !EmbeddedKeychain.hasRemains(at: location))
        // Another process died while making this one.
        try source.write(rootKey, to: Self.nextKey + ".new")
        #expect(try EmbeddedKeychain.hasRemains(at: location))
        try EmbeddedKeychain.discardRemains(at: location, Self.options)
        #expect(try source.contents().keys.filter { $0.hasPrefix("root.key.") }.count == copies.count)
        #expect(unlink(source.file("root.key")) == 0)
        #expect(source.open().failure() != nil)
    }

    @Test("a store that cannot be written opens with the next root key as well")
    func unsettledRootKeyToRead() throws {
        try fill(source.open())
        let former = try source.bytes(of: "root.key")
        try source.write(former, to: Self.nextKey)
        #expect(unlink(source.file("root.key")) == 0)
        #expect(source.open().secret("anna") == .secret("secret of anna"))
        #expect(unlink(source.file(Self.nextKey)) == 0)
        #expect(source.open().failure() != nil)
    }

    @Test("while another process makes the store or moves it, no root key is put in place")
    func locked() throws {
        try fill(source.open())
        let lock = try FileLock(
            "setup.lock",
            in: PrivateDirectory(KeychainLocation(path: source.path)),
            until: Deadline(milliseconds: 0)
        )
        let keychain = EmbeddedKeychain(
            at: KeychainLocation(path: source.path),
            options: StoreOptions(busyTimeoutMilliseconds: 1),
            device: Self.options
        )
        let refusal = #expect(throws: KeychainError.self) {
            try keychain.empty(owner: .embedded, ifCopied: keychain.movedCopy())
        }
        #expect(refusal?.isBusy == true)
        #expect(keychain.secret("anna") == .secret("secret of anna"))
        _ = consume lock
        try keychain.empty(owner: .embedded, ifCopied: keychain.movedCopy())
        #expect(keychain.secret("anna") == .failed(.itemNotFound))
    }

    @Test("of processes that replace the device of a store at once, each does so or is told that it is busy")
    func racing() throws {
        try fill(source.open())
        let outcomes = Mutex<[KeychainError?]>([])
        let location = KeychainLocation(path: source.path)
        DispatchQueue.concurrentPerform(iterations: 4) { index in
            let keychain = EmbeddedKeychain(at: location, device: Self.options)
            for _ in 0..<8 {
                var failure: KeychainError?
                do throws(KeychainError) {
                    if index.isMultiple(of: 2) {
                        try keychain.empty(owner: .embedded, ifCopied: keychain.movedCopy())
                    } else {
                        try EmbeddedKeychain.discardRemains(at: location, Self.options)
                    }
                } catch {
                    failure = error
                }
                outcomes.withLock { $0.append(failure) }
                // Whoever looks finds the key that the keybag is under.
                let answer = keychain.add("\(index)", "secret")
                if answer != .done && answer != .failed(.duplicateItem) {
                    outcomes.withLock { $0.append(KeychainError(.decode, "\(answer)")) }
                }
            }
        }
        // Between the copy and the removal, another thread may have added an item or replaced the device.
        let isAllowed = { (failure: KeychainError) in
            failure.isBusy || failure == .changedSource || failure == .otherCopy
        }
        let failures = outcomes.withLock(\.self).compactMap(\.self).filter { !isAllowed($0) }
        #expect(failures.isEmpty, "\(failures)")
        let keychain = source.open()
        #expect(try keychain.check().isSound)
        try EmbeddedKeychain.discardRemains(at: location, Self.options)
        #expect(try source.contents().keys.filter { $0.hasPrefix("root.key") } == ["root.key"])
        #expect(try source.open().check().isSound)
    }

    private static let nextKey = "root.key." + String(repeating: "0a", count: 16)
    private static let otherNextKey = "root.key." + String(repeating: "0b", count: 16)

    @Test("no root key is removed while the one that the keybag is under cannot be read")
    func unreadableRootKey() throws {
        try fill(source.open())
        let keybag = try source.open().movedDevice().keybag
        let former = try source.bytes(of: "root.key")
        try source.write(former, to: Self.nextKey)
        try source.write([UInt8](repeating: 7, count: 32), to: "root.key")
        // No file is read as a key that others may read.
        #expect(chmod(source.file(Self.nextKey), 0o644) == 0)
        let folder = try PrivateDirectory(KeychainLocation(path: source.path))
        #expect(throws: RootKeyError.self) { try RootKeyFile().settle(keybag, in: folder) }
        #expect(try source.bytes(of: Self.nextKey) == former)
        #expect(chmod(source.file(Self.nextKey), 0o600) == 0)
        try RootKeyFile().settle(keybag, in: folder)
        #expect(try source.bytes(of: "root.key") == former)
        #expect(source.open().secret("anna") == .secret("secret of anna"))
    }

    @Test("a store with items is not overwritten, and loses nothing by the attempt")
    func occupied() throws {
        try fill(source.open())
        let mine = target.open()
        #expect(mine.add("mine", "secret") == .done)
        let mark = try mine.storeMark()
        try source.open().handOver(to: .moving)
        let incoming = try receive(source, into: target)
        #expect(throws: KeychainError.self) { try mine.takeIn(incoming, owner: .embedded, replacing: mark) }
        #expect(mine.secret("mine") == .secret("secret"))
        #expect(target.open().secret("mine") == .secret("secret"))
        IncomingKeychain.remove(from: KeychainLocation(path: target.path))
        #expect(try target.contents().keys.filter { $0.hasPrefix("root.key") } == ["root.key"])
    }

    @Test("a store is not replaced whose device is another one than before, nor by itself")
    func changed() throws {
        try fill(source.open())
        let other = target.open()
        let mark = try other.storeMark()
        try source.open().handOver(to: .moving)
        let incoming = try receive(source, into: target)
        try other.device.setPasscode(Self.passcode)
        try other.device.removePasscode(Self.passcode)
        let refusal = #expect(throws: KeychainError.self) {
            try other.takeIn(incoming, owner: .embedded, replacing: mark)
        }
        #expect(refusal?.reason.contains("changed meanwhile") == true)
        let itself = try opened(source, .moving)
        let same = #expect(throws: KeychainError.self) {
            try itself.takeIn(incoming, owner: .embedded, replacing: itself.storeMark())
        }
        #expect(same?.reason.contains("here already") == true)
        #expect(try itself.moveStatus().hasItems)
        try other.takeIn(incoming, owner: .embedded, replacing: other.storeMark())
        #expect(other.secret("anna") == .secret("secret of anna"))
    }

    @Test("nothing is removed for a copy that lacks a row, the root key or the present passcode")
    func copies() throws {
        let keychain = source.open()
        try fill(keychain)
        let copy = try keychain.movedCopy()
        try keychain.compare(copy)
        func expectKept(_ copy: MovedCopy, _ error: KeychainError) {
            #expect(throws: error) { try keychain.compare(copy) }
            #expect(throws: error) { try keychain.empty(owner: .embedded, ifCopied: copy) }
            #expect(keychain.secret("anna") == .secret("secret of anna"))
        }
        expectKept(MovedCopy(receipt: copy.receipt, digest: []), .changedSource)
        #expect(keychain.add("later", "secret") == .done)
        expectKept(copy, .changedSource)
        #expect(target.open().add("other", "secret") == .done)
        expectKept(try target.open().movedCopy(), .otherCopy)

        let former = try keychain.movedCopy()
        try keychain.device.setPasscode(Self.passcode)
        let present = try keychain.movedCopy()
        #expect(present.receipt != former.receipt && present.digest == former.digest)
        expectKept(former, .otherCopy)
        try keychain.empty(owner: .embedded, ifCopied: present)
        #expect(keychain.secret("anna") == .failed(.itemNotFound))
    }

    @Test("a root key that could not be put in place is reported, and the next command puts it there")
    func reportedRemains() throws {
        let location = KeychainLocation(path: source.path)
        try fill(source.open())
        #expect(try !EmbeddedKeychain.hasRemains(at: location))
        let former = try source.bytes(of: "root.key")
        // Nothing can be renamed to the name of a folder.
        #expect(unlink(source.file("root.key")) == 0 && mkdir(source.file("root.key"), 0o700) == 0)
        try source.write(former, to: Self.nextKey)
        let keychain = source.open()
        try keychain.empty(owner: .embedded, ifCopied: keychain.movedCopy())
        #expect(try EmbeddedKeychain.hasRemains(at: location))
        #expect(throws: KeychainError.self) { try EmbeddedKeychain.discardRemains(at: location, Self.options) }
        #expect(rmdir(source.file("root.key")) == 0)
        try EmbeddedKeychain.discardRemains(at: location, Self.options)
        #expect(try !EmbeddedKeychain.hasRemains(at: location))
        #expect(try source.bytes(of: "root.key") != former)
        #expect(mkdir(source.file("incoming"), 0o700) == 0)
        #expect(try EmbeddedKeychain.hasRemains(at: location))
    }

    @Test("damaged rows stay behind, and are counted; all others are moved")
    func damagedRows() throws {
        let keychain = source.open()
        try fill(keychain)
        #expect(keychain.add("oversized", "secret") == .done)
        #expect(keychain.add("shapeless", "secret") == .done)
        #expect(keychain.add("unprotected", "secret") == .done)
        let size = ItemLimits.partByteCount + 1
        try source.raw().run("UPDATE items_genp SET secret = zeroblob(\(size)) WHERE id = 3")
        try source.raw().run("UPDATE items_genp SET tombstone = 7 WHERE id = 4")
        try source.raw().run("UPDATE items_genp SET protection = 'no class' WHERE id = 5")
        let rows = try keychain.movedRows()
        #expect(rows.damagedCount == 3 && rows.counts[0] == 2)
        try move(from: source, to: target)
        for account in ["anna", "bert"] { #expect(target.open().secret(account) == .secret("secret of \(account)")) }
        #expect(try target.open().movedRows().damagedCount == 0)
    }

    /// What may arrive in place of a keychain.
    enum Forgery: CaseIterable {
        case shortRootKey, otherRootKey, damagedKeybag, longKeybag, embeddedKeybag, negativeCounter, longBoot
        case unknownMark, noRows, tooSmall, tooLarge
        case shortDigest, tooManyTables, negativeCount, hugeCount
        case otherDigest, missingRow, unannouncedRow, repeatedRow, wrongOrder, unknownTag, unorderedTags
        case unknownProtection, numberZero, hugeNumber, identity, tooManyRows, tooManyBytes, largeSecret, otherRow
        case longFormer, otherFormer, formerTag
    }

    @Test("what no keychain could send is refused, and leaves the store as it was", arguments: Forgery.allCases)
    func forgeries(_ forgery: Forgery) throws {
        let keychain = source.open()
        try fill(keychain)
        let embeddedKeybag = try keychain.movedDevice().keybag
        try keychain.handOver(to: .moving)
        let moving = try opened(source, .moving)
        var device = try moving.movedDevice()
        var rows = try moving.movedRows(after: nil)
        switch forgery {
        case .shortRootKey: device.rootKey = SecretBytes([1])
        case .otherRootKey: device.rootKey = SecretBytes([UInt8](repeating: 1, count: 32))
        case .damagedKeybag: device.keybag[40] ^= 1
        case .longKeybag: device.keybag += [UInt8](repeating: 0, count: MoveLimits.keybagByteCount)
        case .embeddedKeybag: device.keybag = embeddedKeybag
        case .negativeCounter: device.record.failedAttempts = -1
        case .longBoot:
            device.record.lastAttempt = HostTime(
                bootIdentifier: String(repeating: "x", count: 65),
                secondsSinceBoot: 0,
                date: .referenceDate
            )
        case .shortDigest: device.rows.digest.removeLast()
        case .tooManyTables: device.rows.counts.append(0)
        case .negativeCount: device.rows.counts[0] = -1
        case .hugeCount: device.rows.counts = [.max, .max, 1, 1]
        case .otherDigest: device.rows.digest[0] ^= 1
        case .missingRow: rows.removeLast()
        case .unannouncedRow: device.rows.counts[0] -= 1
        case .repeatedRow: rows[1].row.primaryKeyTag = rows[0].row.primaryKeyTag
        case .wrongOrder: rows.swapAt(0, 1)
        case .unknownTag: rows[0].row.tags.append(AttributeTag(name: "zzzz", tag: .zero))
        case .unorderedTags: rows[0].row.tags.swapAt(0, 1)
        case .unknownProtection: rows[0].row.protection = "f"
        case .numberZero: rows[0].number = 0
        case .hugeNumber: rows[0].number = .max
        case .identity: rows[0].row.itemClass = .identity
        case .tooManyRows: rows = [MovedRow](repeating: rows[0], count: MoveLimits.messageRowCount + 1)
        case .tooManyBytes: for index in rows.indices { rows[index].row.secret = [UInt8](repeating: 0, count: 1 << 19) }
        case .largeSecret: rows[0].row.secret = [UInt8](repeating: 0, count: ItemLimits.partByteCount + 1)
        case .longFormer: rows[0].row.former = [UInt8](repeating: 0, count: 45)
        case .otherFormer: rows[0].row.former = []
        // What a store of format 2 had.
        case .formerTag: rows[0].row.tags.append(AttributeTag(name: .digest, tag: .zero))
        case .unknownMark: rows[0].damage = 99
        case .noRows: rows = []
        case .tooSmall: device.rows.byteCount = 1
        case .tooLarge: device.rows.byteCount = MoveLimits.byteCount + 1
        case .otherRow: rows[0].row.secret[20] ^= 1
        }
        _ = try target.open().storeMark()
        let before = try target.contents()
        let refusal = #expect(throws: KeychainError.self) {
            let incoming = try IncomingKeychain(in: KeychainLocation(path: target.path), device, Self.options)
            try incoming.append(rows)
            try incoming.finish()
        }
        #expect(refusal?.status != .interactionNotAllowed)
        IncomingKeychain.remove(from: KeychainLocation(path: target.path))
        #expect(try target.contents() == before)
    }

    @Test("rows come in messages of a limited size, each once, however large they are")
    func messages() throws {
        let keychain = source.open()
        let sizes = [1, 300_000, 900_000, 10, 2_000_000, 400_000, 400_000]
        for (number, size) in sizes.enumerated() {
            #expect(keychain.add("\(number)", String(repeating: "x", count: size)) == .done)
        }
        var (last, batches): (MovedRow.Place?, [[MovedRow]]) = (nil, [])
        while true {
            let rows = try keychain.movedRows(after: last)
            guard let next = rows.last?.place else { break }
            batches.append(rows)
            last = next
        }
        #expect(batches.flatMap { $0.map(\.number) } == Array(1...7))
        for rows in batches where rows.count > 1 {
            #expect(rows.reduce(0) { $0 + $1.row.byteCount } <= MoveLimits.messageByteCount)
        }
        #expect(batches.count == 4)
    }

    // MARK: Steps

    private static var options: DeviceOptions {
        var device = DeviceOptions()
        device.passwordWork = .least
        return device
    }

    private func opened(_ store: TestStore, _ owner: StoreOwner) throws -> EmbeddedKeychain {
        EmbeddedKeychain(at: KeychainLocation(path: store.path), of: owner, Self.options)
    }

    private func fill(_ keychain: EmbeddedKeychain) throws {
        for account in ["anna", "bert"] { #expect(keychain.add(account, "secret of \(account)") == .done) }
        for item: PropertyDictionary in [
            ["class": .string("inet"), "acct": .string("anna"), "srvr": .string("example.org")],
            ["class": .string("cert"), "subj": .data(SecretBytes([1, 2, 3]))],
            ["class": .string("keys"), "klbl": .data(SecretBytes([9])), "kcls": .string("1")],
        ] {
            #expect(keychain.answer(.add(item)) { _ in .done } == .done)
        }
    }

    /// Every item with its attributes, dates and persistent reference, and every row's digest.
    private func description(of keychain: EmbeddedKeychain) throws -> [String] {
        let device = try keychain.movedDevice()
        return ["\(device.rows.counts)", "\(device.rows.digest)", "\(device.record.failedAttempts > 1)"]
    }

    private func receive(_ source: TestStore, into target: TestStore) throws -> IncomingKeychain {
        let moving = try opened(source, .moving)
        let incoming = try IncomingKeychain(
            in: KeychainLocation(path: target.path),
            moving.movedDevice(),
            Self.options
        )
        var last: MovedRow.Place?
        while true {
            let rows = try moving.movedRows(after: last)
            guard let next = rows.last?.place else { break }
            try incoming.append(rows)
            last = next
        }
        try incoming.finish()
        return incoming
    }

    private func move(from source: TestStore, to target: TestStore) throws {
        try opened(source, .embedded).handOver(to: .moving)
        let mark = try target.open().storeMark()
        let incoming = try receive(source, into: target)
        try target.open().takeIn(incoming, owner: .embedded, replacing: mark)
        IncomingKeychain.remove(from: KeychainLocation(path: target.path))
        let copies = try [opened(source, .moving), target.open()].map { try $0.movedCopy() }
        #expect(copies[0] == copies[1])
        try opened(source, .moving).empty(owner: .embedded, ifCopied: copies[1])
    }
}
