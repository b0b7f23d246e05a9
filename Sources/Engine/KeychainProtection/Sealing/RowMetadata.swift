// SPDX-License-Identifier: Apache-2.0

import Crypto
import KeychainCore

/// Seals and opens the `metadata` column of one row (Documentation/Format.md, "Metadata").
struct RowMetadata {
    private let part: RowPart

    /// The metadata of a row under the keys of its store or backup.
    init(_ row: StoredRow, _ keys: some RowKeys) throws(ProtectionError) {
        part = try RowPart(.metadata, of: row, keys: keys)
    }

    /// The associated data of both parts of the row.
    var associatedData: AssociatedData { part.associatedData }

    func seal(_ metadata: MetadataCodec.Metadata, _ nonce: AES.GCM.Nonce? = nil) throws(ProtectionError) -> [UInt8] {
        var plain = MetadataCodec.encode(metadata)
        defer { plain.wipe() }
        guard plain.count <= ItemLimits.metadataByteCount else { throw .tooLarge }
        return try plain.withUnsafeBufferPointer { (plain) throws(ProtectionError) in
            try part.seal(UnsafeRawBufferPointer(plain), nonce)
        }
    }

    /// The attributes, once the clear columns that the associated data leaves out agree with them.
    func open() throws(ProtectionError) -> MetadataCodec.Metadata {
        let metadata = try part.open { (plain) throws(ProtectionError) in
            try MetadataCodec.decode(plain, part.row.format)
        }
        guard metadata.attributes[.accessible] == .string(part.row.protection),
            metadata.attributes[.tombstone] == .number(.integer(part.row.isTombstone ? 1 : 0))
        else { throw .damagedRow(.contradiction) }
        return metadata
    }
}

/// The plain bytes of an item's attributes (Documentation/Format.md, "Metadata").
enum MetadataCodec {
    struct Metadata {
        var attributes: Attributes
        var hasSecret: Bool
    }

    static func encode(_ metadata: Metadata) -> [UInt8] {
        var bytes: [UInt8] = [FileFormat.number, metadata.hasSecret ? 1 : 0]
        bytes.reserveCapacity(512)
        bytes.append(littleEndian: UInt16(metadata.attributes.count))
        for (name, value) in metadata.attributes {
            bytes.append(littleEndian: name.code.bigEndian)
            append(value, to: &bytes)
        }
        return bytes
    }

    static func decode(
        _ bytes: UnsafeRawBufferPointer,
        _ format: UInt8 = FileFormat.number
    ) throws(ProtectionError) -> Metadata {
        do throws(Malformed) {
            var reader = PlainReader(bytes)
            guard try reader.integer(UInt8.self) == format else { throw Malformed() }
            let flags = try reader.integer(UInt8.self)
            guard flags <= 1 else { throw Malformed() }
            let count = Int(try reader.integer(UInt16.self))
            var attributes = Attributes(minimumCapacity: count)
            for _ in 0..<count {
                let name = AttributeName(code: try reader.integer(UInt32.self).bigEndian)
                attributes[name] = try value(&reader)
            }
            guard reader.isAtEnd, attributes.count == count else { throw Malformed() }
            return Metadata(attributes: attributes, hasSecret: flags == 1)
        } catch {
            throw .damagedRow(.encoding)
        }
    }

    private struct Malformed: Error {}

    /// Reads bytes in their place, from front to back and never past the end.
    private struct PlainReader {
        private var rest: UnsafeRawBufferPointer

        init(_ bytes: UnsafeRawBufferPointer) { rest = bytes }

        var isAtEnd: Bool { rest.isEmpty }

        mutating func readBytes(_ count: Int) throws(Malformed) -> UnsafeRawBufferPointer {
            guard count <= rest.count else { throw Malformed() }
            defer { rest = UnsafeRawBufferPointer(rebasing: rest[count...]) }
            return UnsafeRawBufferPointer(rebasing: rest[..<count])
        }

        mutating func readRemainingBytes() -> UnsafeRawBufferPointer {
            defer { rest = UnsafeRawBufferPointer(start: nil, count: 0) }
            return rest
        }

        /// An integer, lowest byte first.
        mutating func integer<Value: FixedWidthInteger>(_ type: Value.Type) throws(Malformed) -> Value {
            Value(littleEndian: try readBytes(MemoryLayout<Value>.size).loadUnaligned(as: Value.self))
        }
    }

    private enum ValueType: UInt8 {
        case string = 1
        case data = 2
        case integer = 3
        case unsigned = 4
        case real = 5
        case date = 6
        case accessControl = 7
    }

    private static func append(_ value: AttributeValue, to bytes: inout [UInt8]) {
        switch value {
        case .string(let text): append(.string, text.utf8, to: &bytes)
        case .data(let data): append(.data, data, to: &bytes)
        case .number(.integer(let number)): append(.integer, number, to: &bytes)
        case .number(.unsigned(let number)): append(.unsigned, number, to: &bytes)
        case .number(.real(let number)): append(.real, number.bitPattern, to: &bytes)
        case .date(let date): append(.date, date.secondsSinceReferenceDate.bitPattern, to: &bytes)
        case .accessControl(let accessControl): append(.accessControl, encode(accessControl), to: &bytes)
        }
    }

    private static func append(_ type: ValueType, _ content: some Collection<UInt8>, to bytes: inout [UInt8]) {
        bytes.append(type.rawValue)
        bytes.append(littleEndian: UInt32(truncatingIfNeeded: content.count))
        bytes += content
    }

    private static func append(_ type: ValueType, _ content: some FixedWidthInteger, to bytes: inout [UInt8]) {
        bytes.append(type.rawValue)
        bytes.append(littleEndian: UInt32(8))
        bytes.append(littleEndian: content)
    }

    private static func value(_ reader: inout PlainReader) throws(Malformed) -> AttributeValue {
        guard let type = ValueType(rawValue: try reader.integer(UInt8.self)) else { throw Malformed() }
        let content = try reader.readBytes(Int(try reader.integer(UInt32.self)))
        switch type {
        case .string:
            return .string(try text(content))
        case .data: return .data(Array(content))
        case .integer: return .number(.integer(try integer(content)))
        case .unsigned: return .number(.unsigned(try integer(content)))
        case .real: return .number(.real(Double(bitPattern: try integer(content))))
        case .date: return .date(Timestamp(secondsSinceReferenceDate: Double(bitPattern: try integer(content))))
        case .accessControl: return .accessControl(try accessControl(content))
        }
    }

    /// The text in UTF-8; `String(validating:as:)` is generic, and takes several times as long.
    private static func text(_ content: UnsafeRawBufferPointer) throws(Malformed) -> String {
        var text = content.withMemoryRebound(to: UInt8.self) { String(decoding: $0, as: UTF8.self) }
        // Invalid UTF-8 was repaired, and so differs from the bytes.
        let isUnchanged = text.withUTF8 { UnsafeRawBufferPointer($0).elementsEqual(content) }
        guard isUnchanged else { throw Malformed() }
        return text
    }

    private static func integer<Value: FixedWidthInteger>(
        _ content: UnsafeRawBufferPointer
    ) throws(Malformed) -> Value {
        var reader = PlainReader(content)
        let value = try reader.integer(Value.self)
        guard reader.isAtEnd else { throw Malformed() }
        return value
    }

    /// The flags of the constraints; the enrolled biometry, if they require it; the protection class.
    private static func encode(_ accessControl: AccessControl) -> [UInt8] {
        let flags = accessControl.constraints?.flags
        var bytes: [UInt8] = []
        bytes.append(littleEndian: flags?.rawValue ?? .max)
        if flags?.contains(.biometryCurrentSet) ?? false { bytes += (accessControl.enrolledSet ?? .zero).bytes }
        bytes += accessControl.protection.rawValue.utf8
        return bytes
    }

    private static func accessControl(_ content: UnsafeRawBufferPointer) throws(Malformed) -> AccessControl {
        var reader = PlainReader(content)
        let flags = AccessControlFlags(rawValue: try reader.integer(UInt64.self))
        guard let constraints = AccessConstraints(flags) else { throw Malformed() }
        let enrolledSet = flags.contains(.biometryCurrentSet) ? Bytes16(try reader.readBytes(Bytes16.count)) : nil
        guard let protection = Accessibility(rawValue: String(decoding: reader.readRemainingBytes(), as: UTF8.self))
        else {
            throw Malformed()
        }
        var accessControl = AccessControl(protection: protection, constraints: constraints)
        accessControl.enrolledSet = enrolledSet == .zero ? nil : enrolledSet
        return accessControl
    }
}
