// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainTestSupport
import Testing

@testable import KeychainStore

/// The numbers of rows, where somebody has written one into the file that no store gives.
struct RowNumberTests {
    @Test(
        "rows that are added beside one of a number that no store gives get numbers that a backup takes",
        arguments: [Int64.max, 1 << 62 + 1, Int64.max - 5, -5, 0] as [Int64]
    )
    func foreign(_ number: Int64) throws {
        let folder = try StoreFolder()
        let store = try folder.open()
        try store.add([.sample(.key, 1), .sample(.key, 2)])
        try folder.raw().execute("UPDATE items_keys SET id = \(number) WHERE id = 2")
        for number in 3..<23 as Range<UInt8> { #expect(try store.add([.sample(.key, number)])) }
        let numbers = try store.everyRow(.key).map(\.number)
        #expect(numbers.count == 22 && numbers.filter { !(1...(1 << 62)).contains($0) } == [number])
        let target = try StoreFolder()
        let counts = try store.writeCopy(
            to: target.directory,
            name: "backup",
            protections: ["ak"],
            destroyedGeneration: nil
        ) { (_) throws(KeychainError) in [1] }
        #expect(counts.items == 21 && counts.damaged == 1)
    }

    @Test("so do they where it is the only one", arguments: [-5, 0, Int64.max] as [Int64])
    func alone(_ number: Int64) throws {
        let folder = try StoreFolder()
        let store = try folder.open()
        try store.add([.sample(.key, 1)])
        try folder.raw().execute("UPDATE items_keys SET id = \(number)")
        #expect(try store.add([.sample(.key, 2), .sample(.key, 3)]))
        let numbers = try store.everyRow(.key).map(\.number)
        #expect(numbers.count == 3 && numbers.filter { !(1...(1 << 62)).contains($0) } == [number])
    }
}
