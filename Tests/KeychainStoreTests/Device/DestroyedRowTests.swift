// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainStore
import KeychainTestSupport
import Testing

/// Rows whose keys went with a passcode.
struct DestroyedRowTests {
    private let folder: StoreFolder
    private let store: Store

    init() throws {
        folder = try StoreFolder()
        store = try folder.open()
        try store.add([
            .sample(.key, 1, protection: "akpu", generation: 1), .sample(.key, 2, protection: "akpu", generation: 2),
            .sample(.key, 3, protection: "akpu", generation: 3), .sample(.key, 4, protection: "aku", generation: 1),
            .sample(.key, 5, protection: "akpu", generation: 1),
            .sample(.genericPassword, 1, protection: "akpu", generation: 1),
        ])
        try store.quarantine(.sample(.key, 5))
    }

    private func numbers(_ generation: UInt32?, quarantined: Bool = false) throws -> [Int64] {
        var every = RowFilter(.key)
        every.destroyedGeneration = generation
        let filter = every
        return try store.read { (reader) throws(KeychainError) in
            try (quarantined ? reader.quarantinedRows(filter) : reader.rows(filter)).map(\.number)
        }
    }

    @Test("rows of the last passcode match nothing, in quarantine or not, and those of any other generation do")
    func leavesOut() throws {
        #expect(try numbers(nil) == [1, 2, 3, 4])
        #expect(try numbers(0) == [1, 2, 3, 4])
        #expect(try numbers(1) == [2, 3, 4])
        #expect(try numbers(2) == [1, 3, 4])
        #expect(try numbers(.max) == [1, 2, 3, 4])
        #expect(try numbers(1, quarantined: true) == [])
        #expect(try numbers(2, quarantined: true) == [5])
    }

    @Test(
        "columns of a wrong type are read in one way, so that no row stands in the way of the others",
        arguments: [
            "generation = 'x'", "generation = x'00'", "generation = -1", "generation = 1e300",
            "protection = CAST('akpu' AS BLOB)", "generation = 0.5", "generation = 9223372036854775807",
        ]
    )
    func wrongTypes(_ assignment: String) throws {
        try folder.raw().execute("UPDATE items_keys SET \(assignment) WHERE id = 1")
        for generation in [0, 1, 2, .max] as [UInt32] { #expect(try numbers(generation).contains(4)) }
    }

    @Test("rows of the last passcode are removed from every table, in quarantine or not, and no others")
    func deletes() throws {
        let marker: [UInt8] = Array(repeating: 0xA7, count: 5_000)
        try store.add([.sample(.certificate, 9, protection: "akpu", generation: 1, secret: marker)])
        try store.write { (writer) throws(KeychainError) in try writer.deleteDestroyedRows(1) }
        #expect(try numbers(nil) == [2, 3, 4])
        #expect(try numbers(nil, quarantined: true) == [])
        try store.write { (writer) throws(KeychainError) in try writer.deleteDestroyedRows(3) }
        #expect(try numbers(nil) == [2, 4])
        #expect(try store.everyRow(.genericPassword).isEmpty)
        #expect(try store.everyRow(.certificate).isEmpty)
        #expect(try store.eraseLog())
        #expect(try !folder.holds(Array(marker.prefix(16))))
    }

    @Test("everything can be removed, and leaves no bytes once the log is empty")
    func deletesAll() throws {
        for itemClass in ItemClass.stored {
            try store.add([.sample(itemClass, 20, metadata: Array(repeating: 0xA7, count: 9_000))])
        }
        #expect(try store.eraseLog())
        #expect(try folder.holds(Array(repeating: 0xA7, count: 16)))
        try store.write { (writer) throws(KeychainError) in try writer.deleteAllRows() }
        for itemClass in ItemClass.stored {
            #expect(try store.everyRow(itemClass).isEmpty)
            #expect(try store.everyRow(itemClass, quarantined: true).isEmpty)
        }
        #expect(try store.keybag() == [1, 2, 3])
        #expect(try store.eraseLog())
        #expect(try !folder.holds(Array(repeating: 0xA7, count: 16)))
    }
}
