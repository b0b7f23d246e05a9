// SPDX-License-Identifier: Apache-2.0

/// A page of one of SQLite's B-trees (sqlite.org/fileformat2.html, section 1.6).
///
/// Its bytes may be anything: what does not make sense is left out and counted.
struct TreePage {
    /// What the page has, by the byte with which it begins.
    enum Kind: UInt8 {
        case indexInterior = 0x02
        case tableInterior = 0x05
        case indexLeaf = 0x0A
        case tableLeaf = 0x0D

        var isInterior: Bool { self == .indexInterior || self == .tableInterior }
        var isOfTable: Bool { self == .tableInterior || self == .tableLeaf }
        var isOfIndex: Bool { !isOfTable }
    }

    let kind: Kind
    /// Where cells begin, in their order.
    let cells: [Int]
    /// How many cells lie where none can be, or where another one is.
    let badCells: Int
    private let bytes: [UInt8]

    /// A page by its number, counted from 1; `nil` for a page of nothing like that.
    init?(_ bytes: [UInt8], number: Int) {
        let start = number == 1 ? LogMark.headerByteCount : 0
        guard bytes.count >= start + 12, let kind = Kind(rawValue: bytes[start]) else { return nil }
        let count = Int(bytes[start + 3]) << 8 | Int(bytes[start + 4])
        let first = start + (kind.isInterior ? 12 : 8)
        guard first + 2 * count <= bytes.count else { return nil }
        let offsets = (0..<count).map { Int(bytes[first + 2 * $0]) << 8 | Int(bytes[first + 2 * $0 + 1]) }
        self.kind = kind
        self.bytes = bytes
        var taken = Set<Int>()
        cells = offsets.filter { $0 >= first + 2 * count && $0 + 4 <= bytes.count && taken.insert($0).inserted }
        badCells = count - cells.count
        lastChild = kind.isInterior ? Self.page(in: bytes, at: start + 8) : nil
    }

    private let lastChild: Int?

    /// The pages below an interior page, in their order.
    var children: [Int] {
        guard kind.isInterior else { return [] }
        return cells.compactMap { Self.page(in: bytes, at: $0) } + (lastChild.map { [$0] } ?? [])
    }

    /// The number of a page; `nil` where there is none.
    static func page(in bytes: [UInt8], at offset: Int) -> Int? {
        guard offset >= 0, offset + 4 <= bytes.count else { return nil }
        let number = bytes.withUnsafeBytes { $0.number(at: offset, UInt32.self) }
        return number > 0 && number < Int32.max ? Int(number) : nil
    }

    /// How many bytes the record of a cell of a table's leaf has; `nil` if there is none.
    func recordByteCount(at offset: Int) -> Int? {
        var reader = VarintReader(bytes[...], at: offset)
        guard let size = reader.next(), size > 0, size <= Int64(Int32.max) else { return nil }
        return Int(size)
    }

    /// How many bytes of a record lie on the page, of a size that SQLite uses.
    static func localByteCount(_ byteCount: Int, usable: Int) -> Int {
        let most = usable - 35
        if byteCount <= most { return byteCount }
        let least = (usable - 12) * 32 / 255 - 23
        let fitting = least + (byteCount - least) % (usable - 4)
        return fitting <= most ? fitting : least
    }

    /// The row number of a cell of a table's leaf, and the bytes of its record; `nil` if there is none.
    ///
    /// - Parameters:
    ///   - offset: where the cell begins.
    ///   - pages: what has its overflow pages.
    ///   - limit: how many bytes of a record to read at most.
    ///   - claim: whether an overflow page may be used, as it is by one record alone.
    /// - Returns: The row number, and the record.
    func row(
        at offset: Int,
        of pages: DatabasePages,
        limit: Int,
        claim: (Int) -> Bool
    ) -> (number: Int64, record: Record)? {
        var reader = VarintReader(bytes[...], at: offset)
        guard let size = reader.next(), let number = reader.next(), size > 0, size <= Int64(Int32.max) else {
            return nil
        }
        let (byteCount, usable) = (Int(size), pages.usableSize)
        let local = Self.localByteCount(byteCount, usable: usable)
        let end = reader.offset + local
        guard end <= bytes.count else { return nil }
        var payload = Array(bytes[reader.offset..<end])
        var next = local < byteCount ? Self.page(in: bytes, at: end) : nil
        let wanted = min(byteCount, limit)
        while payload.count < wanted, let number = next, claim(number), let page = pages[number] {
            payload += page[4..<min(usable, 4 + wanted - payload.count)]
            next = Self.page(in: page, at: 0)
        }
        return (number, Record(payload, byteCount: byteCount))
    }
}

/// A record of SQLite (section 2.1): values as they lie in the file.
struct Record {
    /// A value of a column.
    enum Value: Hashable {
        case null
        case integer(Int64)
        case real(Double)
        case text(ArraySlice<UInt8>)
        case blob(ArraySlice<UInt8>)
    }

    /// The values; those whose bytes are missing are `null`.
    let values: [Value]
    /// Whether bytes are missing, or the record is not one.
    let isCut: Bool

    init(_ payload: [UInt8], byteCount: Int) {
        var header = VarintReader(payload[...], at: 0)
        guard let size = header.next(), size >= 1, size <= payload.count else {
            (values, isCut) = ([], true)
            return
        }
        var (values, offset, isCut): ([Value], Int, Bool) = ([], Int(size), payload.count != byteCount)
        while header.offset < Int(size) {
            guard values.count < Self.maximumCount, let type = header.next(), header.offset <= Int(size) else {
                isCut = true
                break
            }
            let length = Self.length(of: type)
            guard length <= payload.count - offset else {
                values.append(.null)
                (offset, isCut) = (payload.count, true)
                continue
            }
            values.append(Self.value(type, payload[offset..<offset + length]))
            offset += length
        }
        self.values = values
        self.isCut = isCut
    }

    /// More than any table has.
    private static let maximumCount = 256

    private static func length(of type: Int64) -> Int {
        switch type {
        case 1...4: Int(type)
        case 5: 6
        case 6, 7: 8
        case 12...: Int(clamping: (type - 12) / 2)
        default: 0
        }
    }

    private static func value(_ type: Int64, _ bytes: ArraySlice<UInt8>) -> Value {
        switch type {
        case 1...6: return .integer(integer(bytes))
        case 7: return .real(Double(bitPattern: UInt64(bitPattern: integer(bytes))))
        case 8, 9: return .integer(type - 8)
        case 12...: return type.isMultiple(of: 2) ? .blob(bytes) : .text(bytes)
        default: return .null
        }
    }

    /// An integer with its sign, most significant byte first.
    private static func integer(_ bytes: ArraySlice<UInt8>) -> Int64 {
        bytes.reduce(bytes.first.map { $0 >= 0x80 ? -1 : 0 } ?? 0) { $0 << 8 | Int64($1) }
    }
}

/// Reads SQLite's integers of variable length, never past the end.
struct VarintReader {
    private let bytes: ArraySlice<UInt8>
    private(set) var offset: Int

    init(_ bytes: ArraySlice<UInt8>, at offset: Int) {
        self.bytes = bytes
        self.offset = offset
    }

    /// The next one; `nil` at the end.
    mutating func next() -> Int64? {
        var value: UInt64 = 0
        for index in 0..<9 {
            guard bytes.indices.contains(offset) else { return nil }
            let byte = bytes[offset]
            offset += 1
            if index == 8 { return Int64(bitPattern: value << 8 | UInt64(byte)) }
            value = value << 7 | UInt64(byte & 0x7F)
            if byte < 0x80 { return Int64(bitPattern: value) }
        }
        return nil
    }
}
