// SPDX-License-Identifier: Apache-2.0

/// Reads bytes from front to back and never past the end.
package struct ByteReader {
    /// There are fewer bytes than requested.
    package struct Truncated: Error {
        /// The error.
        package init() {}
    }

    private var rest: ArraySlice<UInt8>

    /// A reader at the first byte.
    package init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

    /// Whether every byte was read.
    package var isAtEnd: Bool { rest.isEmpty }

    /// The next bytes.
    package mutating func readBytes(_ count: Int) throws(Truncated) -> ArraySlice<UInt8> {
        guard count >= 0, count <= rest.count else { throw Truncated() }
        defer { rest = rest.dropFirst(count) }
        return rest.prefix(count)
    }

    /// All bytes that are left.
    package mutating func readRemainingBytes() throws(Truncated) -> ArraySlice<UInt8> { try readBytes(rest.count) }

    /// An integer, lowest byte first.
    package mutating func integer<Value: FixedWidthInteger>(_ type: Value.Type) throws(Truncated) -> Value {
        let bytes = try readBytes(MemoryLayout<Value>.size)
        return bytes.reversed().reduce(0) { ($0 &<< 8) | Value(truncatingIfNeeded: $1) }
    }

    /// A text as `appendText` writes it; `nil` for bytes that are not UTF-8.
    package mutating func text() throws(Truncated) -> String? {
        String(validating: try readBytes(Int(try integer(UInt32.self))), as: UTF8.self)
    }
}

extension [UInt8] {
    /// Appends the number of bytes of a text, and the bytes.
    package mutating func appendText(_ text: String) {
        append(littleEndian: UInt32(truncatingIfNeeded: text.utf8.count))
        self += text.utf8
    }
}
