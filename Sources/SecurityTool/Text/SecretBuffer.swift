// SPDX-License-Identifier: Apache-2.0

import CKeychainSupport
import KeychainCore

/// A growing run of bytes that is wiped when it moves and when it goes away.
struct SecretBuffer: ~Copyable {
    private var storage: UnsafeMutableRawBufferPointer
    private(set) var count = 0

    init(capacity: Int = 64) {
        storage = .allocate(byteCount: max(capacity, 1), alignment: 1)
    }

    deinit {
        keychain_wipe(storage.baseAddress, storage.count)
        storage.deallocate()
    }

    mutating func append(_ byte: UInt8) {
        reserve(1)
        storage[count] = byte
        count += 1
    }

    mutating func append(_ bytes: UnsafeRawBufferPointer) {
        reserve(bytes.count)
        UnsafeMutableRawBufferPointer(rebasing: storage[count..<count + bytes.count]).copyMemory(from: bytes)
        count += bytes.count
    }

    mutating func append(_ text: StaticString) {
        text.withUTF8Buffer { append(UnsafeRawBufferPointer($0)) }
    }

    /// A copy of what has been collected.
    var bytes: SecretBytes { SecretBytes(copying: UnsafeRawBufferPointer(rebasing: storage[..<count])) }

    private mutating func reserve(_ more: Int) {
        guard count + more > storage.count else { return }
        let larger = UnsafeMutableRawBufferPointer.allocate(byteCount: 2 * (count + more), alignment: 1)
        larger.copyMemory(from: UnsafeRawBufferPointer(rebasing: storage[..<count]))
        keychain_wipe(storage.baseAddress, storage.count)
        storage.deallocate()
        storage = larger
    }
}
