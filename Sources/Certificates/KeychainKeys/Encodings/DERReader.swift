// SPDX-License-Identifier: Apache-2.0

/// Parses DER (X.690) without copying, so that no copy of a secret remains; strict about lengths, integers and trailing
/// bytes.
///
/// It supports the few structures of key files: no indefinite lengths, no tags of more than one byte.
struct DERReader {
    private var rest: UnsafeRawBufferPointer

    /// A reader of bytes, which must outlive it.
    init(_ bytes: UnsafeRawBufferPointer) { rest = bytes }

    /// The tag of the next element; `nil` at the end.
    var tag: UInt8? { rest.first }

    /// Parses an element with a tag and returns its content.
    mutating func element(_ tag: UInt8) throws(KeyError) -> UnsafeRawBufferPointer {
        guard rest.count >= 2, rest[0] == tag else { throw .badEncoding }
        var (count, start) = (Int(rest[1]), 2)
        if count >= 0x80 {
            let width = count - 0x80
            guard (1...3).contains(width), rest.count >= 2 + width else { throw .badEncoding }
            count = rest[2..<2 + width].reduce(0) { $0 << 8 | Int($1) }
            guard count >= 0x80, rest[2] != 0 else { throw .badEncoding }
            start += width
        }
        guard count <= rest.count - start else { throw .badEncoding }
        defer { rest = UnsafeRawBufferPointer(rebasing: rest[(start + count)...]) }
        return UnsafeRawBufferPointer(rebasing: rest[start..<start + count])
    }

    /// Parses a SEQUENCE and returns a reader of its content.
    mutating func sequence() throws(KeyError) -> DERReader { DERReader(try element(DERTag.sequence)) }

    /// Parses a nonnegative INTEGER and returns its bytes without the leading zero; empty for 0.
    mutating func integer() throws(KeyError) -> UnsafeRawBufferPointer {
        let content = try element(DERTag.integer)
        guard let first = content.first, first < 0x80 else { throw .badEncoding }
        guard first == 0 else { return content }
        guard content.count == 1 || content[1] >= 0x80 else { throw .badEncoding }
        return UnsafeRawBufferPointer(rebasing: content[1...])
    }

    /// Parses an INTEGER with one of two small values.
    mutating func version(_ versions: ClosedRange<UInt8>) throws(KeyError) -> UInt8 {
        let content = try element(DERTag.integer)
        guard content.count == 1, versions.contains(content[0]) else { throw .badEncoding }
        return content[0]
    }

    /// Parses a BIT STRING of whole bytes and returns them.
    mutating func bitString(_ tag: UInt8 = DERTag.bitString) throws(KeyError) -> UnsafeRawBufferPointer {
        let content = try element(tag)
        guard content.first == 0 else { throw .badEncoding }
        return UnsafeRawBufferPointer(rebasing: content[1...])
    }

    /// Fails unless everything was parsed.
    func end() throws(KeyError) {
        guard rest.isEmpty else { throw .badEncoding }
    }
}

/// The tags of key files.
enum DERTag {
    static let integer: UInt8 = 0x02
    static let bitString: UInt8 = 0x03
    static let octetString: UInt8 = 0x04
    static let null: UInt8 = 0x05
    static let objectIdentifier: UInt8 = 0x06
    static let sequence: UInt8 = 0x30
    /// A context-specific tag, constructed.
    static func context(_ number: UInt8) -> UInt8 { 0xA0 | number }
    /// The same, primitive.
    static func primitiveContext(_ number: UInt8) -> UInt8 { 0x80 | number }
}

extension KeyError {
    static var badEncoding: KeyError { .malformed("the key is not in the DER encoding that is expected") }
}
