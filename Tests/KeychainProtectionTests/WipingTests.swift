// SPDX-License-Identifier: Apache-2.0

import Crypto
import Glibc
import KeychainCore
import Testing

@testable import KeychainProtection

/// What is left in memory of keys and secrets when the value that owned them is gone.
///
/// Each test runs in a process of its own: another thread could use memory again that was freed.
struct WipingTests {
    @Test("bytes of a secret are overwritten when the last reference to them goes")
    func secretBytes() async {
        await #expect(processExitsWith: .success) {
            let memory = try MemoryFile()
            var address: UInt = 0
            var secret: SecretBytes? = SecretBytes(count: 160) { bytes in
                address = UInt(bitPattern: bytes.baseAddress)
                bytes.initializeMemory(as: UInt8.self, repeating: 0xA5)
            }
            memory.read(at: address)
            #expect(memory.count(of: 0xA5) == secret?.count)
            secret = nil
            // The block is free: the allocator, and whoever takes it next, may write anything into it.
            memory.read(at: address)
            let left = memory.count(of: 0xA5)
            #expect(left < 16)
        }
    }

    @Test("keys in locked memory are overwritten when their owner goes, and the mapping ends with its last owner")
    func lockedMemory() async {
        await #expect(processExitsWith: .success) {
            let file = try MemoryFile()
            var owner: LockedMemory? = try LockedMemory(keyCapacity: 5)
            var neighbour: LockedMemory? = try LockedMemory(keyCapacity: 1)
            let address = try #require(owner?.address)
            let key = SymmetricKey(data: [UInt8](repeating: 0xA5, count: 32))
            for _ in 0..<5 { _ = try owner?.store(key) }
            _ = try neighbour?.store(key)
            let keyBefore = file.read(at: address)
            #expect(keyBefore && file.count(of: 0xA5) == 160)
            owner = nil
            let keyAfter = file.read(at: address)
            #expect(keyAfter && file.count(of: 0) == 160)
            neighbour = nil
            let isMapped = file.read(at: address)
            #expect(!isMapped)
        }
    }

    /// The memory of this process as a file: what is not mapped is an error there, and not the end.
    private final class MemoryFile {
        private let descriptor: Int32
        private var bytes = [UInt8](repeating: 0, count: 160)

        init() throws {
            descriptor = open("/proc/self/mem", O_RDONLY | O_CLOEXEC)
            try #require(descriptor >= 0)
        }

        deinit { close(descriptor) }

        /// Reads 160 bytes; allocates nothing.
        @discardableResult
        func read(at address: UInt) -> Bool { pread(descriptor, &bytes, 160, off_t(address)) == 160 }

        func count(of value: UInt8) -> Int { bytes.count { $0 == value } }
    }
}
