// SPDX-License-Identifier: Apache-2.0

import CKeychainSupport
import Crypto

/// Memory for long-lived keys: locked, left out of core dumps, zero in a forked child, wiped when released.
///
/// mlock(2) can fail, as in a container with a small limit: ``isLocked`` then reports that, and the rest still holds.
package final class LockedMemory: @unchecked Sendable {
    // Thread safety: one owner assigns slots in `init` order, and writes them before they are shared.
    private let bytes: UnsafeMutableRawBufferPointer
    private var used = 0

    /// Whether the memory is kept out of swap.
    package let isLocked: Bool

    /// Reserves memory for a number of 32-byte keys, at most 512.
    ///
    /// - Throws: ``ProtectionError/noMemory``.
    package init(keyCapacity: Int) throws(ProtectionError) {
        let count = keyCapacity * LockedKey.byteCount
        var locked: Int32 = 0
        guard let base = keychain_locked_allocate(count, &locked) else { throw .noMemory }
        bytes = UnsafeMutableRawBufferPointer(start: base, count: count)
        isLocked = locked != 0
    }

    /// The start of the memory.
    var address: UInt { UInt(bitPattern: bytes.baseAddress) }

    deinit {
        keychain_locked_free(bytes.baseAddress, bytes.count)
    }

    /// Copies a key into the next free slot.
    func store(_ key: SymmetricKey) throws(ProtectionError) -> LockedKey {
        guard key.bitCount == LockedKey.byteCount * 8, used + LockedKey.byteCount <= bytes.count else {
            throw .noMemory
        }
        let offset = used
        used += LockedKey.byteCount
        key.withUnsafeBytes { bytes[offset...].copyBytes(from: $0) }
        return LockedKey(memory: self, offset: offset)
    }

    fileprivate func slot(at offset: Int) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + LockedKey.byteCount])
    }
}

/// A 256-bit key in locked memory.
package struct LockedKey: Sendable {
    static let byteCount = 32

    fileprivate let memory: LockedMemory
    fileprivate let offset: Int

    /// Lends the bytes in their place.
    func withUnsafeBytes<Result, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        defer { withExtendedLifetime(memory) {} }
        return try body(memory.slot(at: offset))
    }

    /// A copy to work with, which swift-crypto wipes when it is released.
    func withKey<Result, Failure: Error>(
        _ body: (SymmetricKey) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        defer { withExtendedLifetime(memory) {} }
        return try body(SymmetricKey(data: memory.slot(at: offset)))
    }
}

extension UnsafeMutableRawBufferPointer.SubSequence {
    fileprivate func copyBytes(from source: UnsafeRawBufferPointer) {
        UnsafeMutableRawBufferPointer(rebasing: self).copyMemory(from: source)
    }
}

extension UnsafeMutableRawBufferPointer {
    /// Overwrites the bytes with zeros; the optimizer may not remove it.
    func wipe() {
        keychain_wipe(baseAddress, count)
    }
}

extension [UInt8] {
    /// Overwrites the elements in place with zeros; call it on the only reference to the array.
    mutating func wipe() {
        withUnsafeMutableBytes { $0.wipe() }
    }
}
