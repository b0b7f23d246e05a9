// SPDX-License-Identifier: Apache-2.0

/// Small databases that take SQLite without end, or with all memory, to read what they declare.
package enum HostileSchema: String, CaseIterable, Sendable {
    /// Seven levels of pages, each with 600 pointers to one page of the next level.
    case repeatedPages
    /// Six hundred pointers to one row of 8 MB.
    case repeatedRow
    /// One row of 8 MB.
    case longRow
    /// The statistics of ANALYZE, which SQLite reads with the schema, on such levels of pages.
    case repeatedStatistics

    private static let pageSize = 4_096

    /// The file.
    package func database(applicationIdentifier: Int64, version: UInt16) -> [UInt8] {
        var pages: [[UInt8]]
        let table = Self.record("table", "t", "t", 2, "CREATE TABLE t (a UNIQUE)")
        let index = Self.record("index", "sqlite_autoindex_t_1", "t", 3, nil)
        switch self {
        case .repeatedPages:
            pages = [[], Self.page(0x0D), Self.page(0x0A), Self.page(0x0D, [Self.cell(1, table)])]
            pages += Self.levels(from: 5, depth: 6, of: Self.cell(9, index))
            pages[0] = Self.interior([4] + Array(repeating: 5, count: 600), isFirst: true)
        case .repeatedRow, .longRow:
            let long = Self.record("index", "sqlite_autoindex_t_1", String(repeating: "x", count: 8_000_000), 3, nil)
            let (cell, rest) = Self.longCell(2, long, overflow: 4)
            let overflow = stride(from: 0, to: rest.count, by: Self.pageSize - 4).map { start in
                let end = min(start + Self.pageSize - 4, rest.count)
                let next = end < rest.count ? 5 + start / (Self.pageSize - 4) : 0
                return Self.filled(Self.bytes(UInt32(next)) + rest[start..<end])
            }
            let count = self == .longRow ? 1 : 600
            let first = Self.page(0x0D, [Self.cell(1, table), cell], repeats: [1, count], isFirst: true)
            pages = [first, Self.page(0x0D), Self.page(0x0A)] + overflow
        case .repeatedStatistics:
            let statistics = Self.record(
                "table",
                "sqlite_stat1",
                "sqlite_stat1",
                2,
                "CREATE TABLE sqlite_stat1(tbl,idx,stat)"
            )
            pages = [Self.page(0x0D, [Self.cell(1, statistics)], isFirst: true)]
            pages += Self.levels(from: 2, depth: 7, of: Self.cell(9, Self.record("t", nil, "1")))
        }
        return Self.withHeader(pages, identifier: applicationIdentifier, version: version)
    }

    /// The same as the log of another file: all pages in one transaction.
    package func log(applicationIdentifier: Int64, version: UInt16) -> [UInt8] {
        let database = database(applicationIdentifier: applicationIdentifier, version: version)
        let salts: [UInt8] = [1, 2, 3, 4, 5, 6, 7, 8]
        var sum: (UInt32, UInt32) = (0, 0)
        func add(_ bytes: some Collection<UInt8>) {
            Array(bytes).withUnsafeBytes { bytes in
                for offset in stride(from: 0, to: bytes.count, by: 8) {
                    sum.0 &+= bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self).bigEndian &+ sum.1
                    sum.1 &+= bytes.loadUnaligned(fromByteOffset: offset + 4, as: UInt32.self).bigEndian &+ sum.0
                }
            }
        }
        // With checksums of big-endian words.
        let numbers: [UInt32] = [0x377F_0683, 3_007_000, UInt32(Self.pageSize), 0]
        var log = numbers.flatMap(Self.bytes) + salts
        add(log)
        log += Self.bytes(sum.0) + Self.bytes(sum.1)
        let count = database.count / Self.pageSize
        for number in 1...count {
            let page = database[(number - 1) * Self.pageSize..<number * Self.pageSize]
            let beginning = Self.bytes(UInt32(number)) + Self.bytes(number == count ? UInt32(count) : 0)
            add(beginning)
            add(page)
            for part in [beginning, salts, Self.bytes(sum.0), Self.bytes(sum.1)] { log += part }
            log += page
        }
        return log
    }

    /// A database in which the table with a root page is read without end: below the root are 18 levels of pages, each
    /// with four pointers to the next one.
    package static func repeatingPages(below root: Int, of database: [UInt8]) -> [UInt8] {
        var database = database
        let first = database.count / pageSize + 1
        let page = interior(Array(repeating: first, count: 4))
        database.replaceSubrange((root - 1) * pageSize..<root * pageSize, with: page)
        // Without a number of pages, that of the file counts.
        database.replaceSubrange(28..<32, with: bytes(0))
        return database + levels(from: first, depth: 17, width: 4, of: cell(9, record(nil, "x"))).joined()
    }

    /// Levels of interior pages, and a leaf.
    private static func levels(from first: Int, depth: Int, width: Int = 600, of cell: [UInt8]) -> [[UInt8]] {
        (0..<depth).map { interior(Array(repeating: first + $0 + 1, count: width)) }
            + [page(0x0D, [cell], repeats: [width])]
    }

    private static func withHeader(_ pages: [[UInt8]], identifier: Int64, version: UInt16) -> [UInt8] {
        var bytes = Array(pages.joined())
        let sizes: [UInt8] = [0x10, 0, 1, 1, 0, 64, 32, 32]
        bytes.replaceSubrange(0..<16, with: Array("SQLite format 3\0".utf8))
        bytes.replaceSubrange(16..<24, with: sizes)
        let numbers: [(Int, UInt32)] = [
            (24, 1), (28, UInt32(pages.count)), (40, 1), (44, 4), (56, 1), (60, UInt32(version)),
            (68, UInt32(identifier)), (92, 1), (96, 3_040_001),
        ]
        for (offset, number) in numbers {
            bytes.replaceSubrange(offset..<offset + 4, with: Self.bytes(number))
        }
        return bytes
    }

    private static func page(
        _ kind: UInt8,
        _ cells: [[UInt8]] = [],
        repeats: [Int]? = nil,
        isFirst: Bool = false
    ) -> [UInt8] {
        let start = isFirst ? 100 : 0
        var (bytes, end, pointers) = ([UInt8](repeating: 0, count: pageSize), pageSize, [Int]())
        for (index, cell) in cells.enumerated() {
            end -= cell.count
            bytes.replaceSubrange(end..<end + cell.count, with: cell)
            pointers += Array(repeating: end, count: repeats?[index] ?? 1)
        }
        bytes[start] = kind
        bytes.replaceSubrange(start + 3..<start + 5, with: short(pointers.count))
        bytes.replaceSubrange(start + 5..<start + 7, with: short(end))
        let first = start + (kind == 0x05 ? 12 : 8)
        bytes.replaceSubrange(first..<first + 2 * pointers.count, with: pointers.flatMap(short))
        return bytes
    }

    /// An interior page; its cells of the same child are one.
    private static func interior(_ children: [Int], isFirst: Bool = false) -> [UInt8] {
        var distinct: [Int] = []
        for child in children where !distinct.contains(child) { distinct.append(child) }
        var page = page(
            0x05,
            distinct.map { bytes(UInt32($0)) + varint(9) },
            repeats: distinct.map { child in children.count { $0 == child } },
            isFirst: isFirst
        )
        let start = isFirst ? 100 : 0
        page.replaceSubrange(start + 8..<start + 12, with: bytes(UInt32(children.last ?? 0)))
        return page
    }

    private static func cell(_ number: Int, _ record: [UInt8]) -> [UInt8] {
        varint(record.count) + varint(number) + record
    }

    /// A cell whose record goes on on other pages, and what is there.
    private static func longCell(_ number: Int, _ record: [UInt8], overflow: Int) -> ([UInt8], [UInt8]) {
        let least = (pageSize - 12) * 32 / 255 - 23
        let fitting = least + (record.count - least) % (pageSize - 4)
        let local = fitting <= pageSize - 35 ? fitting : least
        let cell = varint(record.count) + varint(number) + record[..<local] + bytes(UInt32(overflow))
        return (cell, Array(record[local...]))
    }

    private static func record(_ values: Any?...) -> [UInt8] {
        var (types, body): ([UInt8], [UInt8]) = ([], [])
        for value in values {
            switch value {
            case let number as Int:
                types += varint(1)
                body.append(UInt8(number))
            case let text as String:
                types += varint(13 + 2 * text.utf8.count)
                body += Array(text.utf8)
            default: types += varint(0)
            }
        }
        return varint(types.count + 1) + types + body
    }

    private static func varint(_ number: Int) -> [UInt8] {
        var (bytes, rest) = ([UInt8(number & 0x7F)], number >> 7)
        while rest > 0 {
            bytes.insert(UInt8(rest & 0x7F) | 0x80, at: 0)
            rest >>= 7
        }
        return bytes
    }

    private static func filled(_ bytes: [UInt8]) -> [UInt8] {
        bytes + [UInt8](repeating: 0, count: pageSize - bytes.count)
    }

    private static func bytes(_ number: UInt32) -> [UInt8] { withUnsafeBytes(of: number.bigEndian) { Array($0) } }

    private static func short(_ number: Int) -> [UInt8] { [UInt8(number >> 8 & 0xFF), UInt8(number & 0xFF)] }
}
