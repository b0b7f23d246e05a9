// SPDX-License-Identifier: Apache-2.0

/// Reads values of basic types, strictly: in bounds, with padding of zeros (D-Bus Specification, "Marshaling").
package struct BusValueReader {
    private let bytes: UnsafeRawBufferPointer
    private let order: ByteOrder

    /// How many bytes were read.
    package private(set) var offset: Int

    /// Reads from a position that is aligned as the beginning of the bytes.
    package init(_ bytes: UnsafeRawBufferPointer, order: ByteOrder, offset: Int = 0) {
        self.bytes = bytes
        self.order = order
        self.offset = offset
    }

    /// Whether all was read.
    package var isAtEnd: Bool { offset == bytes.count }

    /// Passes over padding.
    package mutating func align(to boundary: Int) throws(BusFailure) {
        while offset % boundary != 0 {
            guard try byte() == 0 else { throw .malformed }
        }
    }

    /// A byte.
    package mutating func byte() throws(BusFailure) -> UInt8 {
        guard offset < bytes.count else { throw .malformed }
        defer { offset += 1 }
        return bytes[offset]
    }

    /// A number of four bytes.
    package mutating func number() throws(BusFailure) -> UInt32 {
        try align(to: 4)
        let part = try take(4)
        let number = part.loadUnaligned(as: UInt32.self)
        return order == .little ? UInt32(littleEndian: number) : UInt32(bigEndian: number)
    }

    /// A number of eight bytes.
    package mutating func wideNumber() throws(BusFailure) -> UInt64 {
        try align(to: 8)
        let number = try take(8).loadUnaligned(as: UInt64.self)
        return order == .little ? UInt64(littleEndian: number) : UInt64(bigEndian: number)
    }

    /// An array of bytes, which are good as long as those of the message.
    package mutating func byteArray() throws(BusFailure) -> UnsafeRawBufferPointer { try take(Int(try number())) }

    /// The bytes of a string or of an object path: valid UTF-8 without NUL.
    package mutating func text() throws(BusFailure) -> UnsafeRawBufferPointer {
        try terminated(Int(try number()))
    }

    /// The bytes of a signature.
    package mutating func signature() throws(BusFailure) -> UnsafeRawBufferPointer {
        let part = try terminated(Int(try byte()))
        guard BusSignature.isValid(part) else { throw .malformed }
        return part
    }

    /// Passes over a value of fixed size.
    package mutating func skip(aligned byteCount: Int) throws(BusFailure) {
        try align(to: byteCount)
        _ = try take(byteCount)
    }

    private mutating func terminated(_ count: Int) throws(BusFailure) -> UnsafeRawBufferPointer {
        let part = try take(count)
        guard try byte() == 0, !part.contains(0), String(validating: part, as: UTF8.self) != nil else {
            throw .malformed
        }
        return part
    }

    private mutating func take(_ count: Int) throws(BusFailure) -> UnsafeRawBufferPointer {
        guard count <= bytes.count - offset else { throw .malformed }
        defer { offset += count }
        return UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + count])
    }
}
