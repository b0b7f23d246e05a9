// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainStore
import Testing

@Suite("A store in memory that is cleared for the next keychain")
struct ClearTests {
    /// A store with rows of every kind, and everything else in it that can be changed.
    private static func used() throws -> Store {
        let store = try Store(inMemoryWithKeybag: [1, 2, 3])
        for itemClass in ItemClass.stored {
            let rows = [
                StoredRow.sample(itemClass, 1), .sample(itemClass, 2, isTombstone: true), .sample(itemClass, 3),
            ]
            #expect(try store.add(rows))
            try store.quarantine(rows[2])
        }
        try store.write { (writer) throws(KeychainError) in
            try writer.setDeviceRecord(.full)
            try writer.adopt(.recoveryKey)
        }
        return store
    }

    @Test("Nothing is left of what was in it")
    func nothingLeft() throws {
        let store = try Self.used()
        #expect(store.clear())
        #expect(try store.keybag() == [])
        #expect(try store.deviceRecord() == DeviceRecord())
        #expect(try store.read { (reader) throws(KeychainError) in try reader.usedFeatures() }.isEmpty)
        #expect(store.version == .base)
        for itemClass in ItemClass.stored {
            for quarantined in [false, true] {
                #expect(try store.everyRow(itemClass, quarantined: quarantined).isEmpty, "\(itemClass)")
            }
        }
        #expect(try store.structuralDefects() == [])
    }

    @Test("It serves the next one as a new store would")
    func servesAgain() throws {
        let store = try Self.used()
        for round in UInt8(1)...20 {
            #expect(store.clear())
            try store.begin(withKeybag: [round])
            #expect(try store.keybag() == [round])
            for itemClass in ItemClass.stored {
                let row = StoredRow.sample(itemClass, round)
                #expect(try store.add([row]))
                #expect(try store.everyRow(itemClass).map(\.number) == [1])
                #expect(try store.everyRow(itemClass).map(\.row) == [row])
            }
        }
    }

    @Test("What kept it from being changed is over", arguments: [StoreCondition.full, .readOnly])
    func healthyAgain(_ condition: StoreCondition) throws {
        let store = try Self.used()
        store.condition = condition
        #expect(store.clear())
        #expect(store.condition == .healthy)
        #expect(try store.add([.sample(.genericPassword, 1)]))
    }

    @Test("One that has got indexes or many pages is not used again")
    func grown() throws {
        let many = try Self.used()
        for number in UInt8(4)...132 { #expect(try many.add([.sample(.genericPassword, number)])) }
        #expect(!many.clear())
        let large = try Self.used()
        #expect(try large.add([.sample(.genericPassword, 4, secret: [UInt8](repeating: 1, count: 1 << 20))]))
        #expect(!large.clear())
    }

    @Test("A store in files is not cleared")
    func files() throws {
        let folder = try StoreFolder()
        defer { withExtendedLifetime(folder) {} }
        let store = try folder.open()
        let row = StoredRow.sample(.genericPassword, 1)
        #expect(try store.add([row]))
        #expect(!store.clear())
        #expect(try store.everyRow(.genericPassword).map(\.row) == [row])
    }

    @Test("A store is not cleared in the midst of a change")
    func changing() throws {
        let store = try Self.used()
        try store.write { (writer) throws(KeychainError) in
            let isCleared = store.clear()
            #expect(!isCleared)
        }
        #expect(try store.keybag() == [1, 2, 3])
    }
}
