// SPDX-License-Identifier: Apache-2.0

import CKeychainSupport
import KeychainCore

/// Writes values one after the other into memory that is wiped.
struct WireWriter: ~Copyable {
    private var buffer: UnsafeMutableRawBufferPointer
    private var count = 0
    private var depth = 0
    private var elements = 0

    init() { buffer = .allocate(byteCount: 512, alignment: 8) }

    deinit { Self.release(buffer) }

    /// The written bytes.
    consuming func finish() -> SecretBytes { SecretBytes(copying: UnsafeRawBufferPointer(rebasing: buffer[..<count])) }

    mutating func write(_ bytes: UnsafeRawBufferPointer) throws(WireError) {
        let end = count + bytes.count
        guard end <= WireMessage.longestBody + WireMessage.headerByteCount else { throw .tooLong }
        if end > buffer.count { grow(to: end) }
        if !bytes.isEmpty { UnsafeMutableRawBufferPointer(rebasing: buffer[count..<end]).copyMemory(from: bytes) }
        count = end
    }

    mutating func write(_ number: some FixedWidthInteger) throws(WireError) {
        let bigEndian = number.bigEndian
        try withUnsafeBytes(of: bigEndian) { (bytes) throws(WireError) in try write(bytes) }
    }

    /// Writes the length and the bytes.
    mutating func write(lengthAnd bytes: UnsafeRawBufferPointer) throws(WireError) {
        guard let count = UInt32(exactly: bytes.count) else { throw .tooLong }
        try write(count)
        try write(bytes)
    }

    /// Writes the number of elements that follow.
    mutating func write(elementCount count: Int) throws(WireError) {
        elements += count
        guard elements <= WireMessage.maximumElements else { throw .tooLong }
        try write(UInt32(count))
    }

    /// Writes a number of four bytes over what was written before.
    mutating func overwrite(_ number: UInt32, at offset: Int) {
        withUnsafeBytes(of: number.bigEndian) { bytes in
            UnsafeMutableRawBufferPointer(rebasing: buffer[offset..<(offset + 4)]).copyMemory(from: bytes)
        }
    }

    /// How many bytes were written.
    var byteCount: Int { count }

    /// Runs `body` one level deeper.
    mutating func nested(_ body: (inout WireWriter) throws(WireError) -> Void) throws(WireError) {
        guard depth < WireMessage.maximumDepth else { throw .tooDeep }
        depth += 1
        try body(&self)
        depth -= 1
    }

    private mutating func grow(to needed: Int) {
        let larger = UnsafeMutableRawBufferPointer.allocate(byteCount: max(needed, 2 * buffer.count), alignment: 8)
        UnsafeMutableRawBufferPointer(rebasing: larger[..<count]).copyMemory(
            from: UnsafeRawBufferPointer(rebasing: buffer[..<count])
        )
        Self.release(buffer)
        buffer = larger
    }

    private static func release(_ buffer: UnsafeMutableRawBufferPointer) {
        keychain_wipe(buffer.baseAddress, buffer.count)
        buffer.deallocate()
    }
}
