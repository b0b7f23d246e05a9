// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// The object table of a binary property list, whose objects refer to each other by number.
///
/// The format: a signature, the objects, a table of their offsets, and a trailer of 32 bytes with the sizes of offsets
/// and references, the number of objects, the root, and the position of the table.
struct BinaryPropertyListShape {
    static let signature = Array("bplist00".utf8)

    /// The maximum size of a list with all references expanded, in bytes: a small value can be referenced any number of
    /// times.
    private static let maximumBytes = 4 << 20

    /// The size of each value in addition to its contents.
    private static let valueByteCount = 8

    private let bytes: [UInt8]
    private let offsets: [Int]
    private let root: Int
    private let referenceSize: Int
    /// The end of the objects.
    private let end: Int
    /// The measurements of each object.
    private var measures: [Measure]

    private enum Measure {
        case unknown
        case open
        case known(byteCount: Int, levels: Int)
    }

    /// Whether bytes are a binary list without cycles, within the limits of nesting, expanded size and combining marks;
    /// it is not decoded.
    static func isHarmless(_ bytes: [UInt8]) -> Bool {
        guard var shape = BinaryPropertyListShape(bytes) else { return false }
        // In XML, the list is within an element.
        return shape.measure(shape.root, level: 2) != nil
    }

    private init?(_ bytes: [UInt8]) {
        let trailer = bytes.count - 32
        guard bytes.starts(with: Self.signature), trailer >= Self.signature.count else { return nil }
        let offsetSize = Int(bytes[trailer + 6])
        referenceSize = Int(bytes[trailer + 7])
        guard (1...8).contains(offsetSize), (1...8).contains(referenceSize),
            let count = Self.number(bytes[(trailer + 8)..<(trailer + 16)]),
            let root = Self.number(bytes[(trailer + 16)..<(trailer + 24)]),
            let end = Self.number(bytes[(trailer + 24)...]),
            (Self.signature.count...trailer).contains(end), count <= (trailer - end) / offsetSize, root < count
        else { return nil }
        var offsets: [Int] = []
        for place in stride(from: end, to: end + count * offsetSize, by: offsetSize) {
            guard let start = Self.number(bytes[place..<(place + offsetSize)]), start >= Self.signature.count,
                start < end
            else { return nil }
            offsets.append(start)
        }
        self.bytes = bytes
        self.offsets = offsets
        self.root = root
        self.end = end
        measures = Array(repeating: .unknown, count: count)
    }

    /// A big-endian number; `nil` if it cannot be a size or position.
    private static func number(_ bytes: ArraySlice<UInt8>) -> Int? {
        Int(exactly: bytes.reduce(0 as UInt64) { $0 << 8 | UInt64($1) })
    }

    /// The expanded size of an object.
    ///
    /// - Returns: `nil` if it is malformed, too deep, too large or cyclic, or has too many marks.
    private mutating func measure(_ object: Int, level: Int) -> (byteCount: Int, levels: Int)? {
        switch measures[object] {
        case .open: return nil
        case .known(let byteCount, let levels):
            return level + levels - 1 <= PropertyListShape.maximumLevels ? (byteCount, levels) : nil
        case .unknown: break
        }
        guard level <= PropertyListShape.maximumLevels, let contents = contents(of: object),
            contents.bytes.count <= Self.maximumBytes, !hasTooManyMarks(object, contents.bytes)
        else { return nil }
        measures[object] = .open
        var (byteCount, levels) = (Self.valueByteCount + contents.bytes.count, 1)
        if contents.areReferences {
            for place in stride(from: contents.bytes.lowerBound, to: contents.bytes.upperBound, by: referenceSize) {
                guard let number = Self.number(bytes[place..<(place + referenceSize)]), number < offsets.count,
                    let member = measure(number, level: level + 1)
                else { return nil }
                byteCount += member.byteCount
                levels = max(levels, member.levels + 1)
                guard byteCount <= Self.maximumBytes else { return nil }
            }
        }
        measures[object] = .known(byteCount: byteCount, levels: levels)
        return (byteCount, levels)
    }

    /// Whether an object is a text with too many consecutive marks.
    private func hasTooManyMarks(_ object: Int, _ place: Range<Int>) -> Bool {
        switch bytes[offsets[object]] >> 4 {
        case 5: String(decoding: bytes[place], as: UTF8.self).hasTooManyMarks
        case 6:
            String(
                decoding: stride(from: place.lowerBound, to: place.upperBound, by: 2).map {
                    UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1])
                },
                as: UTF16.self
            )
            .hasTooManyMarks
        default: false
        }
    }

    /// The position of an object's contents, and whether they are references.
    private func contents(of object: Int) -> (bytes: Range<Int>, areReferences: Bool)? {
        let start = offsets[object]
        let (kind, size) = (bytes[start] >> 4, Int(bytes[start] & 15))
        switch (kind, size) {
        // Null, false, true.
        case (0, 0), (0, 8), (0, 9): return (start..<start, false)
        // An integer, a real number, a date.
        case (1, 0...4), (2, 2...3), (3, 3): return boundedRange(start + 1, 1 << size, by: 1)
        // Data, ASCII, UTF-16.
        case (4, _), (5, _): return counted(start, size, by: 1)
        case (6, _): return counted(start, size, by: 2)
        // An array; a dictionary has its keys followed by its values.
        case (10, _): return counted(start, size, by: referenceSize).map { ($0.bytes, true) }
        case (13, _): return counted(start, size, by: 2 * referenceSize).map { ($0.bytes, true) }
        default: return nil
        }
    }

    /// The contents of an object with a number of elements, which is in its first byte or in the integer after it.
    private func counted(_ start: Int, _ size: Int, by partSize: Int) -> (bytes: Range<Int>, areReferences: Bool)? {
        guard size == 15 else { return boundedRange(start + 1, size, by: partSize) }
        guard start + 1 < end, bytes[start + 1] >> 4 == 1, bytes[start + 1] & 15 <= 3,
            let number = boundedRange(start + 2, 1 << Int(bytes[start + 1] & 15), by: 1),
            let count = Self.number(bytes[number.bytes])
        else { return nil }
        return boundedRange(number.bytes.upperBound, count, by: partSize)
    }

    private func boundedRange(_ start: Int, _ count: Int, by partSize: Int) -> (bytes: Range<Int>, areReferences: Bool)?
    {
        guard start <= end, count <= (end - start) / partSize else { return nil }
        return (start..<(start + count * partSize), false)
    }
}
