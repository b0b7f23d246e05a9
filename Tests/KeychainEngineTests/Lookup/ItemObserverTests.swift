// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainStore
import KeychainTestSupport
import Testing

@testable import KeychainEngine

/// Notices of single items, for a front that announces them.
struct ItemObserverTests {
    private let store: TestStore
    private let keychain: EmbeddedKeychain
    private let notices = Collected<ItemChangeNotice>()
    private let observation: ChangeObservation?
    private static let group = TestStore.client.accessGroups[0]

    init() throws {
        store = try TestStore()
        keychain = store.open()
        observation = keychain.observeItemChanges { [notices] in notices.append($0) }
    }

    private func change(
        _ kind: ItemChange.Kind,
        _ item: ItemIdentifier,
        in group: String = Self.group
    ) -> ItemChange {
        ItemChange(kind, item, of: ChangedItems(.genericPassword, in: group))
    }

    @Test("items that either kind of command adds, changes and removes are told, each commit once, in its order")
    func kinds() throws {
        let item = try keychain.store(["service": "S"], "1").identifier
        #expect(notices.take() == [.changes([change(.added, item)])])
        #expect(keychain.add("A", "2") == .done)
        let derived = try #require(try keychain.search(["account": "A"]).first).identifier
        #expect(notices.take() == [.changes([change(.added, derived)])])
        try keychain.change(item, .label("x"))
        try keychain.store(["service": "S"], "3")
        #expect(keychain.update("A", "4") == .done)
        #expect(notices.take() == [item, item, derived].map { .changes([change(.changed, $0)]) })
        try keychain.deleteItem(item)
        #expect(keychain.delete("A") == .done)
        #expect(notices.take() == [item, derived].map { .changes([change(.removed, $0)]) })
        #expect(keychain.delete("A") == .failed(.itemNotFound))
        #expect(notices.take() == [])
    }

    @Test("an update of many items is one notice, and a move to another group is a removal and an addition")
    func groups() throws {
        let ids = try ["1", "2"].map { try keychain.store(["service": "S", "n": $0], $0, replacing: false).identifier }
        _ = notices.take()
        let client = Client(accessGroups: [Self.group, "another"])
        let query: PropertyDictionary = ["class": .string("genp"), "svce": .string("S")]
        _ = try keychain.perform(
            KeychainRequest(.update(query, attributes: ["agrp": .string("another")]), client: client)
        )
        let expected = ids.flatMap { [change(.removed, $0), change(.added, $0, in: "another")] }
        #expect(notices.take() == [.changes(expected)])
    }

    @Test("a change that is not stored is not told, nor one of a rehearsal")
    func undone() throws {
        #expect(keychain.add("A", "1") == .done)
        _ = notices.take()
        #expect(keychain.add("A", "2") == .failed(.duplicateItem))
        #expect(throws: KeychainError.self) {
            try keychain.withEngine { (engine) throws(KeychainError) in
                try engine.write { (writer) throws(KeychainError) in
                    for row in try writer.rows(RowFilter(.genericPassword)) { try writer.delete(row) }
                    throw KeychainError(.io, "a later part fails")
                }
            }
        }
        #expect(keychain.secret("A") == .secret("1"))
        let move = GroupMove(from: Self.group, to: "another", isRehearsal: true)
        let report = try keychain.maintenance.moveGroup(move)
        #expect(report.moved.count == 1 && !report.isDone)
        #expect(notices.take() == [])
    }

    @Test("a removed item that another process stored is of a group that is unknown, and told all the same")
    func unknownGroup() throws {
        let other = store.open()
        let item = try other.store(["service": "S"], "1").identifier
        #expect(notices.take() == [])
        try keychain.deleteItem(item)
        #expect(notices.take() == [.changes([change(.removed, item, in: Client.everyGroup)])])
    }

    @Test("a removed item that another process stored is of a group that is known once the groups were listed")
    func listedGroup() throws {
        let other = store.open()
        let item = try other.store(["service": "S"], "1").identifier
        #expect(try keychain.accessGroups() == [Self.group])
        try keychain.deleteItem(item)
        #expect(notices.take() == [.changes([change(.removed, item)])])
    }

    @Test("what is more than a notice holds, and what concerns all items, is unknown")
    func unknown() throws {
        for number in 0...ItemChangeNotice.maximumChanges { try #require(keychain.add("\(number)", "") == .done) }
        _ = notices.take()
        #expect(keychain.updateEverything(comment: "x") == .done)
        #expect(notices.take() == [.unknown])
        try keychain.device.erase()
        #expect(notices.take() == [.unknown])
    }

    @Test("nobody is told any more once the observation has ended")
    func end() throws {
        let keychain = EmbeddedKeychain.inMemory()
        let notices = Collected<ItemChangeNotice>()
        var observation = keychain.observeItemChanges { notices.append($0) }
        #expect(keychain.add("A", "1") == .done)
        #expect(notices.take().count == 1)
        observation = nil
        #expect(keychain.add("B", "1") == .done)
        #expect(notices.take() == [] && observation == nil)
    }
}
