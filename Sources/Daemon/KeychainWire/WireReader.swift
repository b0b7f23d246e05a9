// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// Reads values one after the other from untrusted bytes.
///
/// A count is trusted no further than the available bytes: nothing is allocated for missing data.
struct WireReader {
    private var rest: UnsafeRawBufferPointer.SubSequence
    private var depth = 0
    /// The number of elements that were announced so far.
    private(set) var totalElementCount = 0
    private var maximumElements = WireMessage.maximumElements
    private var limitsMarks = false

    /// Reads from bytes that have to stay until the last value was read.
    init(_ bytes: UnsafeRawBufferPointer) { rest = bytes[...] }

    /// Whether everything was read.
    var isAtEnd: Bool { rest.isEmpty }

    /// The next byte, which is not read yet.
    var next: UInt8 {
        get throws(WireError) {
            guard let next = rest.first else { throw .truncated }
            return next
        }
    }

    mutating func bytes(_ count: Int) throws(WireError) -> UnsafeRawBufferPointer {
        guard count >= 0, count <= rest.count else { throw .truncated }
        let bytes = rest.prefix(count)
        rest = rest.dropFirst(count)
        return UnsafeRawBufferPointer(rebasing: bytes)
    }

    /// Reads bytes after their length.
    mutating func bytesAfterLength() throws(WireError) -> UnsafeRawBufferPointer {
        try bytes(Int(try number(UInt32.self)))
    }

    mutating func number<Number: FixedWidthInteger>(_ type: Number.Type = Number.self) throws(WireError) -> Number {
        let bytes = try bytes(MemoryLayout<Number>.size)
        return Number(bigEndian: bytes.loadUnaligned(as: Number.self))
    }

    /// Reads a number of elements, each of which takes at least a byte.
    mutating func elementCount() throws(WireError) -> Int {
        let count = Int(try number(UInt32.self))
        guard count <= rest.count else { throw .truncated }
        totalElementCount += count
        guard totalElementCount <= maximumElements else { throw .tooLong }
        return count
    }

    /// Reads what a program sent: fewer elements, and only text that is cheap to compare.
    mutating func distrust() {
        maximumElements = WireMessage.maximumProgramElements
        limitsMarks = true
    }

    /// Reads text after its length.
    mutating func text() throws(WireError) -> String {
        guard let text = String(validating: try bytesAfterLength(), as: UTF8.self) else { throw .invalidValue }
        guard !limitsMarks || !text.hasTooManyMarks else { throw .tooManyMarks }
        return text
    }

    /// Runs `body` one level deeper.
    mutating func nested<Value>(
        _ body: (inout WireReader) throws(WireError) -> Value
    ) throws(WireError) -> Value {
        guard depth < WireMessage.maximumDepth else { throw .tooDeep }
        depth += 1
        defer { depth -= 1 }
        return try body(&self)
    }
}
