// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainProtection
import KeychainStore
import KeychainTestSupport
import Testing

@testable import KeychainEngine

/// Rows that arrive without what is listed of them.
struct LookupListingTests: MoveScene {
    let source: TestStore
    let target: TestStore

    init() throws { (source, target) = (try TestStore(), try TestStore()) }

    @Test(
        "lookup attributes survive a move between stores, and are listed again with the first unlock",
        arguments: [false, true]
    )
    func move(hasPasscode: Bool) throws {
        let keychain = source.open()
        let id = try keychain.store(["service": "S", "k": "v"], "secret", label: "L").identifier
        #expect(keychain.add("A", "other") == .done)
        if hasPasscode { try keychain.device.setPasscode(Self.passcode) }
        try move(from: source, to: target)
        let moved = target.open()
        if hasPasscode {
            #expect(try moved.search(["k": "v"]) == [])
            try moved.device.unlock(passcode: Self.passcode)
        }
        #expect(try moved.search(["k": "v"]).map(\.identifier) == [id])
        #expect(try moved.describe([id]).map(\.label) == ["L"])
        #expect(try moved.maintenance.storeStatus().features.map(\.name) == ["lookup-attributes"])
        #expect(try moved.check().isSound)
        #expect(try source.open().maintenance.storeStatus().features == [])
    }

    @Test("a move of a keychain without lookup attributes leaves no trace of them")
    func moveWithoutAttributes() throws {
        #expect(source.open().add("A", "other") == .done)
        try move(from: source, to: target)
        #expect(try target.open().maintenance.storeStatus().features == [])
    }

    @Test("lookup attributes survive a repair, which has only the rows to go by")
    func repair() throws {
        let id = try source.open().store(["service": "S", "k": "v"], "secret").identifier
        try source.checkpoint()
        try source.raw().execute("DROP INDEX items_genp_acct")
        #expect(try source.check().verdict == .damaged)
        #expect(try source.repair().run(date: "D") { _ in true }.isDone)
        let keychain = source.open()
        #expect(try keychain.search(["k": "v"]).map(\.identifier) == [id])
        #expect(try keychain.check().isSound)
    }

    @Test("columns count that a program changed which knows no lookup attributes, once these are listed again")
    func formerProgram() throws {
        let keychain = source.open()
        let id = try keychain.store(["service": "S", "username": "A", "k": "v"], "secret").identifier
        try keychain.withEngine { (engine) throws(KeychainError) in
            try engine.write { (writer) throws(KeychainError) in
                var filter = RowFilter(.genericPassword)
                filter.identifier = id
                guard let row = try writer.rows(filter).first else { throw .noStore }
                var opened = try protecting { () throws(ProtectionError) in try engine.device.openBackedUp(row.row) }
                opened.attributes[.service] = .string("T")
                let tags = engine.device.searchTags()
                var sealed = try protecting { () throws(ProtectionError) in
                    try engine.device.sealBackedUp(opened, tags)
                }
                // What it does not know, it does not write.
                sealed.lookup = nil
                _ = try writer.update(row, to: sealed)
            }
        }
        #expect(try !keychain.check().isSound)
        try keychain.recover()
        #expect(try keychain.check().isSound)
        #expect(try keychain.describe([id]).map(\.attributes) == [["service": "T", "username": "A", "k": "v"]])
        #expect(try keychain.search(["service": "T", "k": "v"]).map(\.identifier) == [id])
    }
}
