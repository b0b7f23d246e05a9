// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// Reads a structure from front to back; whatever is missing or too much makes it malformed.
struct SyncReader {
    private var reader: ByteReader
    let structure: SyncStructure

    /// A reader behind magic bytes and version.
    init(_ bytes: [UInt8], _ structure: SyncStructure) throws(SyncFault) {
        self.init(plain: bytes[...], structure)
        guard try self.bytes(4).elementsEqual(structure.rawValue.utf8) else { throw .malformed(structure) }
        let version = try integer(UInt8.self)
        guard version == SyncFormat.version else { throw .newerFormat(structure, version) }
    }

    /// A reader of the inner bytes of a structure.
    init(plain bytes: ArraySlice<UInt8>, _ structure: SyncStructure) {
        reader = ByteReader(bytes)
        self.structure = structure
    }

    var fault: SyncFault { .malformed(structure) }

    var isAtEnd: Bool { reader.isAtEnd }

    mutating func bytes(_ count: Int) throws(SyncFault) -> [UInt8] {
        do { return Array(try reader.readBytes(count)) } catch { throw fault }
    }

    mutating func rest() throws(SyncFault) -> [UInt8] {
        do { return Array(try reader.readRemainingBytes()) } catch { throw fault }
    }

    mutating func integer<Value: FixedWidthInteger>(_ type: Value.Type) throws(SyncFault) -> Value {
        do { return try reader.integer(type) } catch { throw fault }
    }

    mutating func identifier() throws(SyncFault) -> Bytes16 {
        guard let identifier = Bytes16(try bytes(Bytes16.count)) else { throw fault }
        return identifier
    }

    mutating func digest() throws(SyncFault) -> SyncDigest {
        guard let digest = SyncDigest(try bytes(SyncDigest.byteCount)) else { throw fault }
        return digest
    }

    mutating func flag() throws(SyncFault) -> Bool {
        let value = try integer(UInt8.self)
        guard value <= 1 else { throw fault }
        return value == 1
    }

    /// A date that can be raised and compared: finite, and no negative zero.
    mutating func date() throws(SyncFault) -> Timestamp {
        let bits = try integer(UInt64.self)
        let seconds = Double(bitPattern: bits)
        let date = Timestamp(secondsSinceReferenceDate: seconds)
        guard date.canTravel, date.secondsSinceReferenceDate.bitPattern == bits else { throw fault }
        return date
    }

    /// A number of things, at most `limit`.
    mutating func count(_ limit: Int) throws(SyncFault) -> Int {
        let count = Int(try integer(UInt16.self))
        guard count <= limit else { throw .tooLarge(structure) }
        return count
    }

    /// Bytes after their length in four bytes.
    mutating func block(_ limit: Int) throws(SyncFault) -> [UInt8] {
        let count = Int(try integer(UInt32.self))
        guard count <= limit else { throw .tooLarge(structure) }
        return try bytes(count)
    }

    mutating func text(_ limit: Int = SyncFormat.Limit.textByteCount) throws(SyncFault) -> String {
        guard let text = String(validating: try block(limit), as: UTF8.self) else { throw fault }
        return text
    }

    func end() throws(SyncFault) {
        guard isAtEnd else { throw fault }
    }
}

extension [UInt8] {
    /// The beginning of a structure.
    static func beginning(_ structure: SyncStructure) -> [UInt8] {
        Array(structure.rawValue.utf8) + [SyncFormat.version]
    }

    mutating func append(_ identifier: Bytes16) { identifier.withUnsafeBytes { self.append(contentsOf: $0) } }

    mutating func append(_ digest: SyncDigest) { self += digest.bytes }

    mutating func append(date: Timestamp) { append(littleEndian: date.secondsSinceReferenceDate.bitPattern) }

    mutating func append(count: Int) { append(littleEndian: UInt16(truncatingIfNeeded: count)) }

    mutating func append(block: [UInt8]) {
        append(littleEndian: UInt32(truncatingIfNeeded: block.count))
        self += block
    }
}

extension Timestamp {
    /// Dates beyond some 31,000 years do not travel: up to there a millisecond makes a difference in binary64.
    package static let travelLimit = 1e12

    /// Whether a record may have the date.
    package var canTravel: Bool { abs(secondsSinceReferenceDate) <= Self.travelLimit }
}
