// SPDX-License-Identifier: Apache-2.0

import Crypto
import Foundation
import Testing

@testable import KeychainProtection

struct LockedMemoryTests {
    @Test("long-lived keys lie in memory that is locked, not dumped, and wiped in a forked child")
    func isLockedAndUndumpable() throws {
        let memory = try LockedMemory(keyCapacity: 2)
        _ = try memory.store(SymmetricKey(size: .bits256))
        let flags = try Self.flags(ofMappingAt: memory.address)
        #expect(flags.isSuperset(of: ["dd", "wf"]))
        // The system may refuse, but then it is said. Whoever shares the memory may have it locked later.
        #expect(!memory.isLocked || flags.contains("lo"))
        withExtendedLifetime(memory) {}
    }

    @Test("keys of many owners share a little memory")
    func isShared() throws {
        let memories = try (0..<200).map { _ in try LockedMemory(keyCapacity: 1) }
        let addresses = Set(memories.map(\.address))
        #expect(addresses.count == 200)
        #expect(Set(addresses.map { $0 / 4_096 }).count < 100)
        withExtendedLifetime(memories) {}
    }

    @Test("owners come and go without disturbing each other's keys")
    func isReused() throws {
        var generator = SystemRandomNumberGenerator()
        var kept: [(LockedKey, SymmetricKey)] = []
        for round in 0..<2_000 {
            let keys = (0...(round % 7)).map { _ in SymmetricKey.random() }
            let memory = try LockedMemory(keyCapacity: keys.count)
            for key in keys { kept.append((try memory.store(key), key)) }
            while kept.count > 100 { kept.remove(at: Int.random(in: kept.indices, using: &generator)) }
        }
        for (locked, key) in kept { #expect(locked.withKey { $0 } == key) }
    }

    @Test("more than fits into one mapping is refused")
    func isLimited() throws {
        _ = try LockedMemory(keyCapacity: 512)
        #expect(throws: ProtectionError.noMemory) { try LockedMemory(keyCapacity: 513) }
    }

    @Test("memory that is full takes no further key")
    func isBounded() throws {
        let memory = try LockedMemory(keyCapacity: 1)
        _ = try memory.store(SymmetricKey(size: .bits256))
        #expect(throws: ProtectionError.noMemory) { try memory.store(SymmetricKey(size: .bits256)) }
    }

    @Test("only keys of 256 bits are taken")
    func takesFullKeysOnly() throws {
        let memory = try LockedMemory(keyCapacity: 4)
        #expect(throws: ProtectionError.noMemory) { try memory.store(SymmetricKey(size: .bits128)) }
    }

    /// The flags of the mapping that holds an address: "lo" locked, "dd" do not dump, "wf" wipe on fork
    /// (proc_pid_smaps(5)).
    private static func flags(ofMappingAt address: UInt) throws -> Set<String> {
        // The file has no size that a reader by size could go by.
        let file = try #require(FileHandle(forReadingAtPath: "/proc/self/smaps"))
        let text = String(decoding: try file.readToEnd() ?? Data(), as: UTF8.self)
        var isInside = false
        for line in text.split(separator: "\n") {
            let words = line.split(separator: " ")
            let bounds = words[0].split(separator: "-").compactMap { UInt($0, radix: 16) }
            if bounds.count == 2 { isInside = (bounds[0]..<bounds[1]).contains(address) }
            if isInside, words[0] == "VmFlags:" { return Set(words.dropFirst().map(String.init)) }
        }
        return []
    }
}
