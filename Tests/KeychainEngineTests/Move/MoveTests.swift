// SPDX-License-Identifier: Apache-2.0

import Glibc
import KeychainCore
import KeychainHost
import KeychainProtection
import KeychainTestSupport
import Testing

@testable import KeychainEngine

/// A keychain that is moved from one store to another one, row by row, as the same device.
struct MoveTests: MoveScene {
    let source: TestStore
    let target: TestStore

    init() throws { (source, target) = (try TestStore(), try TestStore()) }

    @Test("items of all classes, passcode, lock, enclave keys, tombstones and quarantine arrive, and nothing stays")
    func everything() throws {
        let keychain = source.open()
        try fill(keychain)
        let key = try keychain.enclave.makeKey(.p256, accessControl: .of(.whenUnlocked, []), context: nil).sealed
        try keychain.device.setPasscode(Self.passcode)
        #expect(keychain.add("protected", "akpu", with: ["pdmn": .string("akpu")]) == .done)
        #expect(keychain.add("deleted", "secret", with: ["sync": .boolean(true)]) == .done)
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

    @Test("the room that a move is checked for suffices, also for many small items", arguments: [0, 3_000])
    func room(_ byteCount: Int) async {
        await #expect(processExitsWith: .success) { [byteCount = byteCount as Int] in
            FaultyFileSystem.install()
            let scene = try MoveTests()
            let keychain = scene.source.open()
            let secret = String(repeating: "x", count: byteCount)
            for number in 0..<1_500 { try #require(keychain.add("a\(number)", secret) == .done) }
            try keychain.handOver(to: .moving)
            let mark = try scene.target.open().storeMark()
            let rows = try scene.opened(scene.source, .moving).movedRows()
            let room = 1 << 40
            FaultyFileSystem.room = (room, ENOSPC)
            let incoming = try scene.receive(scene.source, into: scene.target)
            let received = room - (FaultyFileSystem.room?.byteCount ?? 0)
            try scene.target.open().install(incoming, owner: .embedded, replacing: mark)
            let used = room - (FaultyFileSystem.room?.byteCount ?? 0)
            let allowed = 3 * rows.byteCount + MoveLimits.freeByteCount
            #expect(used <= allowed, "\(received), \(used) for \(rows.byteCount)")
            let copy = try scene.target.open().movedCopy()
            FaultyFileSystem.room = (room, ENOSPC)
            try scene.opened(scene.source, .moving).empty(owner: .embedded, ifCopied: copy)
            let removed = room - (FaultyFileSystem.room?.byteCount ?? 0)
            #expect(removed <= rows.byteCount + MoveLimits.freeByteCount, "\(removed) for \(rows.byteCount)")
        }
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

    @Test("a store with items is not overwritten, and loses nothing by the attempt")
    func occupied() throws {
        try fill(source.open())
        let mine = target.open()
        #expect(mine.add("mine", "secret") == .done)
        let mark = try mine.storeMark()
        try source.open().handOver(to: .moving)
        let incoming = try receive(source, into: target)
        #expect(throws: KeychainError.self) { try mine.install(incoming, owner: .embedded, replacing: mark) }
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
            try other.install(incoming, owner: .embedded, replacing: mark)
        }
        #expect(refusal?.reason.contains("changed meanwhile") == true)
        let itself = try opened(source, .moving)
        let same = #expect(throws: KeychainError.self) {
            try itself.install(incoming, owner: .embedded, replacing: itself.storeMark())
        }
        #expect(same?.reason.contains("here already") == true)
        #expect(try itself.moveStatus().hasItems)
        try other.install(incoming, owner: .embedded, replacing: other.storeMark())
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
}
