// SPDX-License-Identifier: Apache-2.0

/// Reads bytes from front to back and never past the end.
struct ByteReader {
    /// There are fewer bytes than requested.
    struct Truncated: Error {}

    private var rest: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

    var isAtEnd: Bool { rest.isEmpty }

    mutating func readBytes(_ count: Int) throws(Truncated) -> ArraySlice<UInt8> {
        guard count >= 0, count <= rest.count else { throw Truncated() }
        defer { rest = rest.dropFirst(count) }
        return rest.prefix(count)
    }

    mutating func readRemainingBytes() throws(Truncated) -> ArraySlice<UInt8> { try readBytes(rest.count) }

    /// An integer, lowest byte first.
    mutating func integer<Value: FixedWidthInteger>(_ type: Value.Type) throws(Truncated) -> Value {
        let bytes = try readBytes(MemoryLayout<Value>.size)
        return bytes.reversed().reduce(0) { ($0 &<< 8) | Value(truncatingIfNeeded: $1) }
    }
}
