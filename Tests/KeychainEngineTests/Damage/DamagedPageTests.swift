// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainEngine
import KeychainHost
import KeychainProtection
import KeychainStore
import KeychainTestSupport
import Testing

/// Every page of a store that is damaged in turn, and a file that is cut at every page: a check finds it, and a repair
/// brings back every item that has no byte in what was lost.
struct DamagedPageTests {
    /// What is done to a page.
    enum Damage: CaseIterable {
        case zeros, noise, cut
    }

    @Test("a damaged page is found, and costs the items that were in it alone", arguments: Damage.allCases, 0..<4)
    func page(_ damage: Damage, _ part: Int) throws {
        let sample = try DamagedStore()
        for page in sample.pages where page.number % 4 == part {
            let store = try sample.store { bytes in
                let range = (page.number - 1) * 4_096..<page.number * 4_096
                switch damage {
                case .zeros: bytes.replaceSubrange(range, with: [UInt8](repeating: 0, count: range.count))
                case .noise:
                    var generator = SeededGenerator(seed: UInt64(page.number))
                    bytes.replaceSubrange(range, with: range.map { _ in UInt8(truncatingIfNeeded: generator.next()) })
                case .cut: bytes.removeSubrange(range.lowerBound...)
                }
            }
            let lost = damage == .cut ? sample.pages.filter { $0.number >= page.number } : [page]
            // Free pages hold nothing, but for the one that lists them.
            let isMissed = damage == .cut || !page.isFree || page.number == sample.listOfFreePages
            try expectRepair(of: store, sample, without: lost, isMissed: isMissed, "\(damage) of page \(page)")
        }
    }

    @Test("one wrong bit of a page is found or does not matter, and costs no other item", arguments: 0..<4)
    func bit(_ part: Int) throws {
        let sample = try DamagedStore()
        var generator = SeededGenerator(seed: UInt64(part))
        for page in sample.pages where page.number % 4 == part && !page.isFree {
            let bit = Int(generator.next() % 32_768)
            let store = try sample.store { $0[(page.number - 1) * 4_096 + bit / 8] ^= 1 << (bit % 8) }
            let comment: Comment = "bit \(bit) of page \(page)"
            let outcome = try store.repair().run(date: "D") { _ in true }
            // Of the keys, every bit counts, and of the number of cells all of a page.
            guard outcome.before.verdict == .damaged, page.table != "keybag" else { continue }
            guard outcome.isDone else {
                #expect(page.table == "keybag" || page.number == 1, comment)
                continue
            }
            #expect(try store.check().verdict == .sound, comment)
            let found = store.accounts()
            #expect(found.count >= sample.accounts.count - max(page.cells, 1), comment)
            #expect(found.isSubset(of: sample.accounts), comment)
        }
    }

    private func expectRepair(
        of store: TestStore,
        _ sample: DamagedStore,
        without lost: [DamagedStore.Page],
        isMissed: Bool,
        _ comment: Comment
    ) throws {
        let report = try store.check()
        #expect((report.verdict != .sound) == isMissed, comment)
        let before = try store.bytes(of: "keychain.db")
        let outcome = try store.repair().run(date: "D") { _ in true }
        guard !lost.contains(where: { $0.table == "keybag" }) else {
            #expect(!outcome.isDone && report.verdict != .sound, comment)
            #expect(try store.bytes(of: "keychain.db") == before, comment)
            return
        }
        #expect(outcome.isDone == isMissed, comment)
        if isMissed { #expect(try store.bytes(of: "keychain.db.damaged-D") == before, comment) }
        let after = try store.check()
        #expect(after.verdict == .sound, "\(comment): \(after.findings) \(after.damagedItems)")
        let found = store.accounts()
        #expect(found == sample.accounts.subtracting(sample.items(in: lost)), comment)
        #expect(store.secrets(of: found) == sample.secrets.filter { found.contains($0.key) }, comment)
        #expect(store.open().add("new", "secret") == .done, comment)
    }
}

/// A small store with every kind of page, and which items each has bytes of.
struct DamagedStore {
    /// A page of the file.
    struct Page: CustomStringConvertible {
        let number: Int
        /// The table or index; empty for a free page.
        let table: String
        let kind: String
        let path: String
        let cells: Int

        var isFree: Bool { table.isEmpty }
        var description: String { "\(number) (\(table.isEmpty ? "free" : "\(kind) of \(table)"))" }
    }

    let secrets: [String: String]
    let pages: [Page]
    /// The page that lists the free ones (sqlite.org/fileformat2.html, section 1.5).
    let listOfFreePages: Int
    private let files: [String: [UInt8]]
    private let places: [String: (table: String, leaf: String, cell: Int)]

    var accounts: Set<String> { Set(secrets.keys) }

    init() throws {
        let store = try TestStore()
        let keychain = store.open()
        var secrets: [String: String] = [:]
        for number in 0..<24 {
            let account = number < 14 ? "genp \(number)" : "inet \(number)"
            secrets[account] = "secret \(number) " + String(repeating: "x", count: number % 5 == 0 ? 9_000 : 10)
            var item = Self.item(account)
            item["v_Data"] = .data(SecretBytes(Array((secrets[account] ?? "").utf8)))
            try #require(keychain.answer(.add(item)) { _ in .done } == .done)
        }
        // What is deleted leaves free pages.
        for number in 0..<3 {
            try #require(keychain.add("gone \(number)", String(repeating: "y", count: 20_000)) == .done)
        }
        for number in 0..<3 { try #require(keychain.delete("gone \(number)") == .done) }
        try store.checkpoint()
        self.secrets = secrets
        files = try store.contents().mapValues { Array($0) }
        listOfFreePages = try #require(files["keychain.db"])[32..<36].reduce(0) { $0 << 8 | Int($1) }
        let raw = try store.raw()
        let rows = try raw.run("SELECT pageno, name, pagetype, path, ncell FROM dbstat ORDER BY pageno")
            .map { String(decoding: $0 ?? [], as: UTF8.self) }
        var pages: [Int: Page] = [:]
        for start in stride(from: 0, to: rows.count, by: 5) {
            guard let number = Int(rows[start]), let cells = Int(rows[start + 4]) else { continue }
            pages[number] = Page(
                number: number,
                table: rows[start + 1],
                kind: rows[start + 2],
                path: rows[start + 3],
                cells: cells
            )
        }
        let count = try raw.integer("PRAGMA page_count")
        self.pages = (1...count).map {
            pages[$0] ?? Page(number: $0, table: "", kind: "", path: "", cells: 0)
        }
        places = Self.places(of: secrets, self.pages)
    }

    /// Items of a table lie in its leaves in the order in which they were added.
    private static func places(
        of secrets: [String: String],
        _ pages: [Page]
    ) -> [String: (table: String, leaf: String, cell: Int)] {
        var places: [String: (table: String, leaf: String, cell: Int)] = [:]
        for (table, prefix) in [("items_genp", "genp"), ("items_inet", "inet")] {
            let accounts = secrets.keys.filter { $0.hasPrefix(prefix) }
                .sorted { $0.count == $1.count ? $0 < $1 : $0.count < $1.count }
            let leaves = pages.filter { $0.table == table && $0.kind == "leaf" }.sorted { $0.path < $1.path }
            let cells = leaves.flatMap { leaf in (0..<leaf.cells).map { (leaf.path, $0) } }
            for (account, cell) in zip(accounts, cells) { places[account] = (table, cell.0, cell.1) }
        }
        return places
    }

    /// The items that have bytes in some pages.
    func items(in lost: [Page]) -> Set<String> {
        accounts.filter { account in
            guard let place = places[account] else { return false }
            let cell = String(place.cell, radix: 16)
            let overflow = place.leaf + String(repeating: "0", count: 3 - cell.count) + cell + "+"
            return lost.contains { page in
                page.table == place.table
                    && (page.kind == "leaf" && page.path == place.leaf || page.path.hasPrefix(overflow))
            }
        }
    }

    /// A copy of the store with another file.
    func store(_ change: (inout [UInt8]) -> Void) throws -> TestStore {
        var files = files
        var bytes = try #require(files["keychain.db"])
        change(&bytes)
        files["keychain.db"] = bytes
        return try TestStore.of(files)
    }

    /// The class and the primary key of an item.
    static func item(_ account: String) -> PropertyDictionary {
        let more: (String, PropertyValue) =
            account.hasPrefix("inet") ? ("srvr", .string("example.com")) : ("svce", .string("service"))
        return [
            "class": .string(account.hasPrefix("inet") ? "inet" : "genp"), "acct": .string(account), more.0: more.1,
        ]
    }
}

extension TestStore {
    /// The check of its files, with the least work for passcodes.
    func check(passcode: SecretBytes? = nil) throws -> StoreReport {
        try StoreCheck(at: KeychainLocation(path: path), Self.device, Self.options).run(passcode: passcode)
    }

    /// A repair of it.
    func repair() -> StoreRepair { StoreRepair(at: KeychainLocation(path: path), Self.device, Self.options) }

    private static var device: DeviceOptions {
        var device = DeviceOptions()
        device.passwordWork = .minimum
        return device
    }

    private static let options = StoreOptions(busyTimeoutMilliseconds: 0)

    /// The accounts of all items, of both classes.
    func accounts() -> Set<String> {
        let keychain = open()
        var accounts: Set<String> = []
        for itemClass in ["genp", "inet"] {
            let query: PropertyDictionary = [
                "class": .string(itemClass), "m_Limit": .string("m_LimitAll"), "r_Attributes": .boolean(true),
                "r_Data": .boolean(true),
            ]
            if case .accounts(let found) = keychain.answer(.copyMatching(query), { .accounts($0.accounts) }) {
                accounts.formUnion(found)
            }
        }
        return accounts
    }

    /// The secrets of some items, of either class.
    func secrets(of accounts: Set<String>) -> [String: String] {
        let keychain = open()
        return accounts.reduce(into: [:]) { secrets, account in
            var query = DamagedStore.item(account)
            query["r_Data"] = .boolean(true)
            let answer = keychain.answer(.copyMatching(query)) { answer in
                guard case .single(.data(let bytes)) = answer else { return .done }
                return .secret(String(decoding: bytes.unprotectedCopy, as: UTF8.self))
            }
            if case .secret(let secret) = answer { secrets[account] = secret }
        }
    }
}
