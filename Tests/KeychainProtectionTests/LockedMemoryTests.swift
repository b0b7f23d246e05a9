// SPDX-License-Identifier: Apache-2.0

import Crypto
import Foundation
import Testing

@testable import KeychainProtection

struct LockedMemoryTests {
    @Test("long-lived keys lie in memory that is locked, not dumped, and wiped in a forked child")
    func isLockedAndUndumpable() throws {
        let before = try Self.protectedMappings()
        let memory = try LockedMemory(keyCapacity: 2)
        _ = try memory.store(SymmetricKey(size: .bits256))
        let after = try Self.protectedMappings()
        #expect(memory.isLocked)
        #expect(after > before)
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

    /// The kilobytes of mappings with the flags "locked", "do not dump" and "wipe on fork" (proc_pid_smaps(5)).
    private static func protectedMappings() throws -> Int {
        // The file has no size that a reader by size could go by.
        let file = try #require(FileHandle(forReadingAtPath: "/proc/self/smaps"))
        let text = String(decoding: try file.readToEnd() ?? Data(), as: UTF8.self)
        var size = 0
        var total = 0
        for line in text.split(separator: "\n") {
            let words = line.split(separator: " ")
            if line.hasPrefix("Size:") { size = Int(words[1]) ?? 0 }
            if line.hasPrefix("VmFlags:"), ["lo", "dd", "wf"].allSatisfy(words.map(String.init).contains) {
                total += size
            }
        }
        return total
    }
}
