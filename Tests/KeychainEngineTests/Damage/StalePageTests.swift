// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainHost
import KeychainProtection
import KeychainStore
import KeychainTestSupport
import Testing

@testable import KeychainEngine

/// A page whose last write was lost, or went to the place of another one: versions of one item lie beside each other,
/// and both authenticate.
struct StalePageTests {
    /// The file of a store before and after some changes.
    private struct Sample {
        let files: [String: [UInt8]]
        let before: [UInt8]
        let after: [UInt8]
        let leaves: [Int]

        init(_ change: (EmbeddedKeychain) throws -> Void) throws {
            let store = try TestStore()
            let early = Self.open(store, at: 1_000)
            for number in 0..<60 {
                try #require(early.add("account \(number)", "secret \(number)") == .done)
            }
            try store.checkpoint()
            before = try store.bytes(of: "keychain.db")
            leaves = try store.raw()
                .run("SELECT pageno FROM dbstat WHERE name = 'items_genp' AND pagetype = 'leaf' ORDER BY path")
                .compactMap { Int(String(decoding: $0 ?? [], as: UTF8.self)) }
            try change(Self.open(store, at: 2_000))
            try store.checkpoint()
            after = try store.bytes(of: "keychain.db")
            files = try store.contents().mapValues { Array($0) }
        }

        private static func open(_ store: TestStore, at seconds: Double) -> EmbeddedKeychain {
            EmbeddedKeychain(
                at: KeychainLocation(path: store.path),
                clock: FixedClock(now: Timestamp(secondsSinceReferenceDate: seconds))
            )
        }

        /// The store with one page of another file, or of another place; `nil` if that changes nothing.
        func store(_ page: Int, from source: [UInt8], at place: Int) throws -> TestStore? {
            func range(_ number: Int) -> Range<Int> { (number - 1) * 4_096..<number * 4_096 }
            guard range(page).upperBound <= source.count, range(place).upperBound <= after.count,
                source[range(page)] != after[range(place)]
            else { return nil }
            var files = files
            files["keychain.db"]?.replaceSubrange(range(place), with: source[range(page)])
            return try TestStore.of(files)
        }
    }

    /// Longer secrets, so that leaves are split.
    private static func lengthen(_ keychain: EmbeddedKeychain) throws {
        for number in 15..<35 {
            let secret = "later \(number) " + String(repeating: "x", count: 200)
            try #require(keychain.update("account \(number)", secret) == .done)
        }
    }

    /// The versions of each item that a file has, in their order.
    private func versions(_ file: [UInt8]) throws -> [ItemIdentifier: [Bytes16]] {
        var versions: [ItemIdentifier: [Bytes16]] = [:]
        try SalvagedStore(file: file, log: []).forEachRow { salvaged in
            versions[salvaged.row.row.identifier, default: []].append(salvaged.row.row.version)
        }
        return versions
    }

    @Test("of two versions of an item the later one stays, wherever it lies, and the other is listed")
    func earlierVersions() throws {
        let sample = try Sample(Self.lengthen)
        let later = try versions(sample.after)
        var stalePages = 0
        for leaf in sample.leaves {
            guard let store = try sample.store(leaf, from: sample.before, at: leaf) else { continue }
            let found = try versions(store.bytes(of: "keychain.db"))
            let expected = found.compactMapValues { found in
                found.first { later.values.joined().contains($0) } ?? found.first
            }
            let excess = found.values.map(\.count).reduce(0, +) - found.count
            // Earlier versions alone, under their numbers, are an earlier state, which nothing tells from a later one.
            if excess == 0 { continue }
            stalePages += 1
            try expectRepair(of: store, to: expected, leavingOut: excess, "page \(leaf)")
        }
        #expect(stalePages > 0)
    }

    @Test("a page in the place of another one costs the items of that one alone")
    func copiedPage() throws {
        let sample = try Sample(Self.lengthen)
        var copies = 0
        let neighbours = Array(zip(sample.leaves, sample.leaves.dropFirst()))
        for (place, leaf) in neighbours + neighbours.map({ ($1, $0) }) {
            guard let store = try sample.store(leaf, from: sample.after, at: place) else { continue }
            let found = try versions(store.bytes(of: "keychain.db"))
            let excess = found.values.map(\.count).reduce(0, +) - found.count
            if excess > 0 { copies += 1 }
            try expectRepair(of: store, to: found.compactMapValues(\.first), leavingOut: excess, "page \(leaf)")
        }
        #expect(copies > 0)
    }

    @Test("an item that was deleted, and comes back by an old page, is not used in the place of its successor")
    func successor() throws {
        let sample = try Sample { keychain in
            try #require(keychain.delete("account 5") == .done)
            try #require(keychain.add("account 5", "successor") == .done)
        }
        var returned = 0
        for leaf in sample.leaves {
            guard let store = try sample.store(leaf, from: sample.before, at: leaf),
                try versions(store.bytes(of: "keychain.db")).count == 61
            else { continue }
            returned += 1
            let plan = try store.repair().plan()
            let outcome = try store.repair().run(date: "D") { _ in true }
            #expect(outcome.isDone && outcome.setAsideRows == 1 && outcome.rows == 61)
            #expect(plan.setAsideRows == 1 && plan.rows == 61)
            #expect(store.open().secret("account 5") == .secret("successor"))
        }
        #expect(returned == 1)
    }

    @Test("a backup of such a store is made, of one version of each item")
    func backup() throws {
        let sample = try Sample(Self.lengthen)
        var made = 0
        for leaf in sample.leaves {
            guard let store = try sample.store(leaf, from: sample.before, at: leaf) else { continue }
            let found = try versions(store.bytes(of: "keychain.db"))
            let report = try store.open().createBackup(
                at: store.folder.path(of: "backup"),
                secret: SecretBytes(Array("of the backup".utf8))
            )
            let excess = found.values.map(\.count).reduce(0, +) - found.count
            #expect(report.items == found.count && report.damaged == excess, "page \(leaf): \(report)")
            made += 1
        }
        #expect(made > 0)
    }

    private func expectRepair(
        of store: TestStore,
        to expected: [ItemIdentifier: Bytes16],
        leavingOut count: Int,
        _ comment: Comment
    ) throws {
        let check = try store.check()
        #expect(check.verdict == .damaged && check.obstacle == nil, comment)
        let plan = try store.repair().plan()
        let outcome = try store.repair().run(date: "D") { _ in true }
        #expect(outcome.isDone && outcome.rows == expected.count && outcome.lostItems.isEmpty, comment)
        #expect(plan.rows == outcome.rows && plan.before.damagedItems == outcome.before.damagedItems, comment)
        #expect(plan.setAsideRows == 0 && outcome.setAsideRows == 0, comment)
        let others = outcome.before.damagedItems
        #expect(others.count == count && others.allSatisfy { $0.fate.rawValue == "earlier" }, comment)
        #expect(others.allSatisfy { $0.names[.account]?.hasPrefix("account ") == true }, comment)
        #expect(try versions(store.bytes(of: "keychain.db")) == expected.mapValues { [$0] }, comment)
        let after = try store.check()
        #expect(after.verdict == .sound && after.intactRows == expected.count, "\(comment): \(after)")
    }
}
