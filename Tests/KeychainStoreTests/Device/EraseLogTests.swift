// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainStore
import KeychainTestSupport
import Testing

struct EraseLogTests {
    @Test(
        "an earlier keybag is in no file once the log is empty, whether the next one is larger or smaller",
        arguments: [10, 200, 3_000, 5_000, 60_000],
        [10, 200, 3_000, 5_000, 60_000]
    )
    func erasesKeybag(_ before: Int, _ after: Int) throws {
        let folder = try StoreFolder()
        let store = try folder.open(keybag: Array(repeating: 0xA7, count: before))
        let pattern: [UInt8] = Array(repeating: 0xA7, count: 10)
        try store.add((0..<8).map { .sample(.key, $0, secret: Array(repeating: 0x11, count: 600)) })
        #expect(try store.eraseLog())
        #expect(try folder.holds(pattern))
        // Over several sizes, so that the bytes lie in the row, in overflow pages and in pages that were let go.
        try store.setKeybag(Array(repeating: 0xA7, count: before * 2))
        try store.setKeybag(Array(repeating: 0xA7, count: before))
        try store.setKeybag(Array(repeating: 0xB6, count: after))
        #expect(try folder.holds(pattern))
        #expect(try store.eraseLog())
        #expect(try !folder.holds(pattern))
        #expect(try folder.contents(of: "keychain.db-wal").isEmpty)
        #expect(try store.keybag() == Array(repeating: 0xB6, count: after))
        #expect(try store.structuralDefects() == [])
    }

    @Test(
        "a log that another connection reads or is about to write is emptied later",
        arguments: ["BEGIN", "BEGIN IMMEDIATE"]
    )
    func busy(_ begin: String) throws {
        let folder = try StoreFolder()
        let store = try folder.open()
        try store.setKeybag([4, 5])
        let other = try folder.raw()
        try other.execute(begin)
        _ = try other.integer("SELECT count(*) FROM items_keys")
        #expect(try !store.eraseLog())
        try other.execute("ROLLBACK")
        #expect(try store.eraseLog())
    }

    @Test("a store in memory has no log")
    func inMemory() throws {
        let store = try Store(inMemoryWithKeybag: [1])
        try store.setKeybag([2])
        #expect(try store.eraseLog())
    }
}
