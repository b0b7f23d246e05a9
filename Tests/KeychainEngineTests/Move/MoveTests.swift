// SPDX-License-Identifier: Apache-2.0

import Foundation
import HostFiles
import KeychainCore
import KeychainProtection
import KeychainTestSupport
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

    @Test("a move that ends between the keybag and the file of its root key is completed by whoever opens the store")
    func unsettledRootKey() throws {
        try fill(source.open())
        let former = try source.bytes(of: "root.key")
        #expect(target.open().add("other", "x") == .done)
        // One that was prepared for a keybag that did not come counts for nothing.
        try source.write(try target.bytes(of: "root.key"), to: "root.key.next")
        #expect(source.open().secret("anna") == .secret("secret of anna"))
        #expect(try source.bytes(of: "root.key") == former)

        try source.write(former, to: "root.key.next")
        try source.write([UInt8](repeating: 7, count: 32), to: "root.key")
        #expect(source.open().secret("anna") == .secret("secret of anna"))
        #expect(try source.bytes(of: "root.key") == former)
        #expect(!FileManager.default.fileExists(atPath: source.file("root.key.next")))
    }

    @Test("a store with items is not overwritten, and loses nothing by the attempt")
    func occupied() throws {
        try fill(source.open())
        let mine = target.open()
        #expect(mine.add("mine", "secret") == .done)
        try source.open().handOver(to: .moving)
        let incoming = try receive(source, into: target)
        #expect(throws: KeychainError.self) { try mine.takeIn(incoming, owner: .embedded) }
        #expect(mine.secret("mine") == .secret("secret"))
        #expect(target.open().secret("mine") == .secret("secret"))
        #expect(!FileManager.default.fileExists(atPath: target.file("root.key.next")))
    }

    /// What may arrive in place of a keychain.
    enum Forgery: CaseIterable {
        case shortRootKey, otherRootKey, damagedKeybag, longKeybag, embeddedKeybag, negativeCounter, longBoot
        case shortDigest, tooManyTables, negativeCount, hugeCount
        case otherDigest, missingRow, unannouncedRow, repeatedRow, wrongOrder, unknownTag, unorderedTags
        case unknownProtection, numberZero, hugeNumber, identity, tooManyRows, tooManyBytes, largeSecret, otherRow
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
        case .shortDigest: device.digest.removeLast()
        case .tooManyTables: device.rowCounts.append(0)
        case .negativeCount: device.rowCounts[0] = -1
        case .hugeCount: device.rowCounts = [.max, .max, 1, 1]
        case .otherDigest: device.digest[0] ^= 1
        case .missingRow: rows.removeLast()
        case .unannouncedRow: device.rowCounts[0] -= 1
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
        case .largeSecret: rows[0].row.secret = [UInt8](repeating: 0, count: ItemLimits.secretByteCount + (1 << 17))
        case .otherRow: rows[0].row.secret[20] ^= 1
        }
        #expect(target.open().find("nobody") == .failed(.itemNotFound))
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
        var device = Self.options
        device.owner = owner
        return EmbeddedKeychain(at: KeychainLocation(path: store.path), device: device)
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
        return ["\(device.rowCounts)", "\(device.digest)", "\(device.record.failedAttempts > 1)"]
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
        if !FileManager.default.fileExists(atPath: target.path) {
            #expect(target.open().find("x") == .failed(.itemNotFound))
        }
        let incoming = try receive(source, into: target)
        try target.open().takeIn(incoming, owner: .embedded)
        IncomingKeychain.remove(from: KeychainLocation(path: target.path))
        let receipts = try [opened(source, .moving), target.open()].map { try $0.moveReceipt() }
        #expect(receipts[0] == receipts[1])
        try opened(source, .moving).empty(owner: .embedded)
    }
}
