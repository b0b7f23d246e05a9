// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainTestSupport
import Testing

/// A call about both halves of an identity is one transaction, so that no crash leaves one of them.
struct IdentityTransactionTests {
    private let identity = ItemReference.identity(Fixture.identity(1))

    /// How many transactions were committed to the log of a store: frames that say how large the file is after them, of
    /// the generation that the log's header names (SQLite's file format, section 4.1).
    private func commits(_ store: TestStore) throws -> Int {
        let log = try store.bytes(of: "keychain.db-wal")
        guard log.count > 32 else { return 0 }
        let pageSize = log[8..<12].reduce(0) { $0 << 8 | Int($1) }
        let generation = Array(log[16..<24])
        var count = 0
        for frame in stride(from: 32, to: log.count, by: 24 + pageSize) {
            let hasSize = log[(frame + 4)..<(frame + 8)].contains { $0 != 0 }
            if hasSize, Array(log[(frame + 8)..<(frame + 16)]) == generation { count += 1 }
        }
        return count
    }

    @Test("an add, an update and a delete of both halves are one transaction each")
    func transactions() throws {
        let store = try TestStore()
        let calls = Calls(backend: store.open())
        #expect(calls.add(.key(Fixture.key(9))) == .done)
        var before = try commits(store)
        func expectOne(_ outcome: Outcome) throws {
            #expect(outcome.status == .success)
            #expect(try commits(store) - before == 1)
            before = try commits(store)
        }
        let mine: [String: PropertyValue] = .one(.identity) + ["labl": .string("mine")]
        let label: [String: PropertyValue] = ["labl": .string("mine")]
        try expectOne(calls.add(identity, label))
        try expectOne(calls.update(.reference(identity), label))
        try expectOne(calls.update(mine, ["pdmn": .string("ck")]))
        try expectOne(calls.delete(mine))
        try expectOne(calls.add(identity))
        try expectOne(calls.delete(.reference(identity)))
        let added = calls.add(identity, .asPersistentReference)
        try expectOne(added)
        let persistent = try #require(added.data)
        try expectOne(calls.delete(["v_PersistentRef": .data(persistent)]))
        #expect(calls.count(.certificate) == 0)
        #expect(calls.count(.key) == 1)
    }
}
