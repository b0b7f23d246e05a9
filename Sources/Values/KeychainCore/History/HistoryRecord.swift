// SPDX-License-Identifier: Apache-2.0

/// What an item keeps of its former values among its sealed attributes, under ``AttributeName/history``
/// (Documentation/Format.md, "Former values").
package struct HistoryRecord: Sendable, Hashable {
    /// How many are kept: the number of the item's own, or the one for all items when the record was written.
    package var keep: Int

    /// Whether the number is the item's own.
    package var isOwn: Bool

    /// The former values, the one that was replaced last first.
    package var values: [Value]

    /// A former value, sealed.
    package struct Value: Sendable, Hashable {
        /// What is known of it without reading it.
        package let note: FormerValue
        /// Whether it is under an application password as well.
        package let isUnderPassword: Bool
        /// The sealed bytes.
        package let sealed: [UInt8]

        /// A former value.
        package init(_ note: FormerValue, isUnderPassword: Bool, sealed: [UInt8]) {
            self.note = note
            self.isUnderPassword = isUnderPassword
            self.sealed = sealed
        }
    }

    /// A record.
    package init(keep: Int, isOwn: Bool, values: [Value] = []) {
        self.keep = keep
        self.isOwn = isOwn
        self.values = values
    }

    private static let version: UInt8 = 1

    /// Reads what ``encoded`` gave; `nil` for any other bytes.
    package init?(_ bytes: [UInt8]) {
        var reader = ByteReader(bytes[...])
        do throws(ByteReader.Truncated) {
            guard try reader.integer(UInt8.self) == Self.version else { return nil }
            let (keep, isOwn) = (Int(try reader.integer(UInt8.self)), try reader.integer(UInt8.self))
            guard keep <= ItemHistory.maximumCount, isOwn <= 1 else { return nil }
            var values: [Value] = []
            for _ in 0..<(try reader.integer(UInt8.self)) {
                guard let value = try Value(&reader) else { return nil }
                values.append(value)
            }
            guard reader.isAtEnd, values.count <= keep else { return nil }
            self.init(keep: keep, isOwn: isOwn == 1, values: values)
        } catch {
            return nil
        }
    }

    /// The version, both numbers, and the values in their order.
    package var encoded: [UInt8] {
        var bytes = [Self.version, UInt8(keep), isOwn ? 1 : 0, UInt8(values.count)]
        for value in values { value.append(to: &bytes) }
        return bytes
    }

    /// Keeps no more values than the number, and than the bytes that an item may have.
    package mutating func trim() {
        var (kept, byteCount) = ([Value](), 0)
        for value in values.prefix(keep) {
            byteCount += value.sealed.count
            guard byteCount <= ItemHistory.maximumByteCount else { break }
            kept.append(value)
        }
        values = kept
    }
}

extension HistoryRecord.Value {
    fileprivate init?(_ reader: inout ByteReader) throws(ByteReader.Truncated) {
        guard let identifier = Bytes16(try reader.readBytes(Bytes16.count)) else { return nil }
        let bits = try reader.integer(UInt64.self)
        let replaced = Timestamp(secondsSinceReferenceDate: Double(bitPattern: bits))
        let isUnderPassword = try reader.integer(UInt8.self)
        guard replaced.secondsSinceReferenceDate.isFinite, replaced.secondsSinceReferenceDate.bitPattern == bits,
            isUnderPassword <= 1, let group = try reader.text()
        else { return nil }
        let byteCount = try reader.integer(UInt32.self)
        let sealed = try reader.readBytes(Int(try reader.integer(UInt32.self)))
        self.init(
            FormerValue(
                identifier,
                replaced: replaced,
                group: group,
                byteCount: Int(byteCount)
            ),
            isUnderPassword: isUnderPassword == 1,
            sealed: Array(sealed)
        )
    }

    fileprivate func append(to bytes: inout [UInt8]) {
        bytes += note.identifier.bytes
        bytes.append(littleEndian: note.replaced.secondsSinceReferenceDate.bitPattern)
        bytes.append(isUnderPassword ? 1 : 0)
        bytes.appendText(note.group)
        bytes.append(littleEndian: UInt32(truncatingIfNeeded: note.byteCount))
        bytes.append(littleEndian: UInt32(truncatingIfNeeded: sealed.count))
        bytes += sealed
    }
}

/// What the attributes of an item say of its former values.
package enum KeptHistory: Sendable, Hashable {
    /// Nothing.
    case none
    /// Something that this program cannot read: it stays as it is.
    case unreadable
    /// A record.
    case record(HistoryRecord)
}

extension Attributes {
    /// The former values of the item.
    package var keptHistory: KeptHistory {
        guard let value = self[.history] else { return .none }
        guard case .data(let bytes) = value, let record = HistoryRecord(bytes) else { return .unreadable }
        return .record(record)
    }

    /// Replaces what is kept of former values.
    package mutating func keep(_ record: HistoryRecord?) { self[.history] = record.map { .data($0.encoded) } }
}
