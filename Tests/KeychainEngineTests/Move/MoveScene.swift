// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainCore
import KeychainHost
import KeychainProtection
import KeychainTestSupport
import Testing

@testable import KeychainEngine

/// Two stores, and what it takes to move a keychain from one to the other.
protocol MoveScene {
    var source: TestStore { get }
    var target: TestStore { get }
}

extension MoveScene {
    static var passcode: SecretBytes { SecretBytes([1, 2, 3, 4]) }

    static var options: DeviceOptions {
        var device = DeviceOptions()
        device.passwordWork = .minimum
        return device
    }

    func opened(_ store: TestStore, _ owner: StoreOwner) throws -> EmbeddedKeychain {
        EmbeddedKeychain(at: KeychainLocation(path: store.path), of: owner, Self.options)
    }

    func fill(_ keychain: EmbeddedKeychain) throws {
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
    func description(of keychain: EmbeddedKeychain) throws -> [String] {
        let device = try keychain.movedDevice()
        return ["\(device.rows.counts)", "\(device.rows.digest)", "\(device.record.failedAttempts > 1)"]
    }

    func receive(_ source: TestStore, into target: TestStore) throws -> IncomingKeychain {
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

    func move(from source: TestStore, to target: TestStore) throws {
        try opened(source, .embedded).handOver(to: .moving)
        let mark = try target.open().storeMark()
        let incoming = try receive(source, into: target)
        try target.open().install(incoming, owner: .embedded, replacing: mark)
        IncomingKeychain.remove(from: KeychainLocation(path: target.path))
        let copies = try [opened(source, .moving), target.open()].map { try $0.movedCopy() }
        #expect(copies[0] == copies[1])
        try opened(source, .moving).empty(owner: .embedded, ifCopied: copies[1])
    }
}
