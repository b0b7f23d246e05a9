// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import Testing

@testable import KeychainSecretService

/// What is remembered of what a program was told.
struct ToldObjectsTests {
    private static let file = CollectionName("work")
    private let item = ItemIdentifier.random()

    private var path: ObjectPath { .item(Self.file, item) }

    private func notice(_ kind: ItemChange.Kind) -> ItemChangeNotice {
        ItemChangeNotice([ItemChange(kind, item, of: ChangedItems(.genericPassword, in: ""))])
    }

    @Test("a change is told of what was read as a whole, and a lock also of an item that was read in part")
    func whole() {
        var told = ToldObjects()
        told.note([(.itemLocked, .boolean(false))], of: path)
        told.note(notice(.changed), in: Self.file)
        #expect(told.takeChanged() == nil)
        #expect(told.update(path, to: LookupItem(item, isLocked: true)).map(\.0) == [.itemLocked])
        #expect(told.update(path, to: LookupItem(item, isLocked: true)).isEmpty)
        told.addWhole(path)
        told.note(notice(.changed), in: Self.file)
        #expect(told.takeChanged() == path && told.takeChanged() == nil)
    }

    @Test("an item that was deleted, and those of a collection that was deleted, are forgotten")
    func forgotten() {
        var told = ToldObjects()
        for object in [path, .collection(Self.file)] { told.addWhole(object) }
        told.note(notice(.removed), in: Self.file)
        #expect(told.items(of: nil).isEmpty)
        #expect(told.takeChanged() == .collection(Self.file))
        told.addWhole(path)
        told.note(.unknown, in: Self.file)
        told.forget(Self.file)
        #expect(told.items(of: nil).isEmpty && told.takeChanged() == nil)
    }

    @Test("attributes that were not told are told with the unlock, once")
    func hidden() {
        var told = ToldObjects()
        told.note([(.itemAttributes, .attributes(LookupAttributes())), (.itemLocked, .boolean(true))], of: path)
        let open = LookupItem(item, isLocked: false)
        #expect(told.update(path, to: open).map(\.0) == [.itemLocked, .itemAttributes, .itemLabel])
        #expect(told.update(path, to: open).isEmpty)
    }

    @Test("there is a limit, beyond which those that are remembered stay")
    func limit() {
        var told = ToldObjects()
        told.addWhole(path)
        for _ in 0..<2 * ToldObjects.maximumCount { told.addWhole(.item(Self.file, .random())) }
        #expect(told.items(of: Self.file).count == ToldObjects.maximumCount)
        #expect(told.items(of: Self.file).contains(path) && told.items(of: .login).isEmpty)
    }
}
