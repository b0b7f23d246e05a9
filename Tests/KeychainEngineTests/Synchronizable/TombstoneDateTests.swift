// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainAuthenticators
import KeychainCore
import KeychainProtection
import KeychainSimulation
import KeychainStore
import KeychainTestSupport
import Testing

@testable import KeychainEngine

/// What replaces a synchronizable item is dated after it, also when the clock was put back: other devices keep what is
/// newer.
struct TombstoneDateTests {
    private let device: VirtualDevice
    private let calls: Calls

    private static let start = Date(timeIntervalSinceReferenceDate: 1_000_000)

    init() throws {
        (device, calls) = try Calls.withDevice()
        device.clock.date = Self.start
    }

    private static func item(_ account: String) -> [String: PropertyValue] {
        .one(.genericPassword) + ["acct": .string(account), "sync": .boolean(true)]
    }

    private func add(_ account: String) -> Outcome {
        calls.perform(.add(PropertyDictionary(Self.item(account) + ["v_Data": .data(SecretBytes([1]))])))
    }

    /// How long after the start each item of an account, or what remembers it, was changed last.
    private func date(_ account: String) throws -> (seconds: Double, isTombstone: Bool)? {
        let client = calls.client
        let request = try ItemRequest(function: .copyMatching, client: client, dictionary: ["class": .string("genp")])
            .checked()
        let authorization = Authorization(device.keychain.evaluator)
        return try device.keychain.access.withEngine { (engine) throws(KeychainError) in
            try engine.readItems(for: request, authorization) { (transaction) throws(KeychainError) in
                var filter = RowFilter(.genericPassword)
                filter.includesTombstones = true
                for row in try transaction.rows.rows(filter) {
                    guard case .content(let metadata) = try transaction.sealer.openMetadata(row),
                        metadata.attributes[.account] == .string(account),
                        let date = metadata.attributes.modificationDate
                    else { continue }
                    let seconds = date.secondsSinceReferenceDate - Self.start.timeIntervalSinceReferenceDate
                    return (seconds, row.row.isTombstone)
                }
                return nil
            }
        }
    }

    private func expect(_ account: String, after seconds: Double, isTombstone: Bool) throws {
        let found = try #require(try date(account))
        #expect(found.isTombstone == isTombstone)
        #expect(found.seconds > seconds)
        #expect(abs(found.seconds - seconds - 0.001) < 0.0001, "\(found.seconds)")
    }

    @Test("a tombstone is a millisecond newer than its item, and the next item than the tombstone")
    func deletedAndAdded() throws {
        #expect(add("a") == .done)
        device.clock.date -= 3600
        #expect(calls.delete(Self.item("a")) == .done)
        try expect("a", after: 0, isTombstone: true)
        device.clock.date -= 3600
        #expect(add("a") == .done)
        try expect("a", after: 0.001, isTombstone: false)
        let attributes = try #require(calls.copy(Self.item("a") + .asAttributes).dictionary)
        #expect(attributes["cdat"] == attributes["mdat"])
    }

    @Test("with a clock that goes on, the time is the clock's")
    func withTheClock() throws {
        #expect(add("a") == .done)
        device.clock.date += 5
        #expect(calls.delete(Self.item("a")) == .done)
        #expect(try date("a")?.seconds == 5)
        device.clock.date += 5
        #expect(add("a") == .done)
        #expect(try date("a")?.seconds == 10)
    }

    @Test("an item that moves leaves a tombstone that is newer, and is newer than one that it comes upon")
    func moved() throws {
        #expect(add("a") == .done)
        #expect(add("b") == .done)
        #expect(calls.delete(Self.item("b")) == .done)
        device.clock.date -= 3600
        #expect(calls.update(Self.item("a"), ["acct": .string("b")]) == .done)
        try expect("a", after: 0, isTombstone: true)
        try expect("b", after: 0.001, isTombstone: false)
    }

    @Test("an item that is changed in its place is newer than before")
    func changedInPlace() throws {
        #expect(add("a") == .done)
        device.clock.date -= 3600
        #expect(calls.update(Self.item("a"), ["v_Data": .data(SecretBytes([2]))]) == .done)
        try expect("a", after: 0, isTombstone: false)
    }

    @Test(
        "what a backup brings is newer than the item, or the tombstone, whose place it takes",
        arguments: [false, true]
    )
    func merged(_ isDeleted: Bool) throws {
        let folder = try TemporaryFolder()
        let (path, secret) = (folder.path(of: "backup"), SecretBytes(Array("the secret of the backup".utf8)))
        #expect(add("a") == .done)
        _ = try device.keychain.createBackup(at: path, secret: secret)
        device.clock.date += 5
        if isDeleted {
            #expect(calls.delete(Self.item("a")) == .done)
        } else {
            #expect(calls.update(Self.item("a"), ["v_Data": .data(SecretBytes([2]))]) == .done)
        }
        device.clock.date -= 3600
        let report = try device.keychain.maintenance.mergeBackup(
            from: .path(path),
            secret: secret,
            BackupMerge(.keepTheirs)
        )
        #expect(report.isApplied)
        try expect("a", after: 5, isTombstone: false)
    }

    @Test("an identity's delete dates the tombstones of both halves after them")
    func identity() throws {
        let identity = IdentityReference(certificate: Fixture.certificate(1), key: Fixture.key(1))
        let synchronizable: [String: PropertyValue] = ["sync": .boolean(true)]
        #expect(calls.add(.identity(identity), synchronizable) == .done)
        device.clock.date -= 3600
        #expect(calls.delete(.reference(.identity(identity)) + synchronizable) == .done)
        #expect(calls.add(.identity(identity), synchronizable) == .done)
        for itemClass in [ItemClass.certificate, .key] {
            let found = calls.copy(.one(itemClass) + synchronizable + .asAttributes).dictionary?["mdat"]
            guard case .date(let date)? = found else {
                Issue.record("\(itemClass) has no date")
                continue
            }
            #expect(Date(timeIntervalSinceReferenceDate: date.secondsSinceReferenceDate) > Self.start)
        }
    }

    @Test("an item of another number than 1 leaves no tombstone, and may change in type alone")
    func otherNumber() throws {
        let item = Self.item("a") + ["sync": .number(.integer(7))]
        #expect(calls.perform(.add(PropertyDictionary(item))) == .done)
        #expect(calls.update(item, ["acct": .data(SecretBytes([0x61]))]) == .done)
        #expect(calls.update(item, ["acct": .string("b")]) == .done)
        #expect(try date("a") == nil)
        #expect(calls.delete(.one(.genericPassword) + ["sync": .number(.integer(7))]) == .done)
        #expect(try date("b") == nil)
    }
}
