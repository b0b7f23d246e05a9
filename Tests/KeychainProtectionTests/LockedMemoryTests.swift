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
        #expect(memory.isLocked)
        #expect(try Self.flags(ofMappingAt: memory.address).isSuperset(of: ["lo", "dd", "wf"]))
        withExtendedLifetime(memory) {}
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
