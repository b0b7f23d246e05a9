// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainHost
import KeychainProtection
import KeychainTestSupport
import Testing

@testable import KeychainEngine

/// What arrives in place of a keychain that is moved.
struct ForgedMoveTests: MoveScene {
    let source: TestStore
    let target: TestStore

    init() throws { (source, target) = (try TestStore(), try TestStore()) }

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
}
