// SPDX-License-Identifier: Apache-2.0

import Glibc

/// What the keychain's file takes: space for each item, and pages of the write-ahead log for each add.
struct Footprint {
    let bytesPerRow: Double
    /// The bytes of each table and index, for each item.
    let parts: [(name: String, bytesPerRow: Double)]
    /// For items without a label, as most are.
    let pagesPerAdd: [Int]
    let pagesPerLabelledAdd: [Int]

    private static let adds = 200

    init(of fixture: Fixture) throws {
        // A second connection of this process: SQLite knows of both, so that neither drops the other's locks.
        let database = try Database(fixture.file(.engine))
        try database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        let pageSize = try database.integer("PRAGMA page_size")
        let rows = Double(fixture.size)
        bytesPerRow = Double(try database.integer("PRAGMA page_count") * pageSize) / rows
        parts = try Self.parts(database, rows)
        pagesPerAdd = try Self.pages(of: fixture, isLabelled: false)
        pagesPerLabelledAdd = try Self.pages(of: fixture, isLabelled: true)
    }

    /// Empty when SQLite was built without the `dbstat` table.
    private static func parts(_ database: Database, _ rows: Double) throws -> [(String, Double)] {
        let sql = "SELECT name, sum(pgsize) FROM dbstat WHERE name LIKE '%items_genp%' GROUP BY name ORDER BY 2 DESC"
        guard let statement = try? database.prepare(sql) else { return [] }
        var parts: [(String, Double)] = []
        while try statement.step() { parts.append((statement.text(0), Double(statement.integer(1)) / rows)) }
        return parts
    }

    /// The frames that each of some adds appends to the log.
    private static func pages(of fixture: Fixture, isLabelled: Bool) throws -> [Int] {
        guard let subject = try fixture.participant(.engine).subject as? EngineSubject else {
            throw Failure("the engine's subject is another one")
        }
        let numbers = (0..<adds).map { Fixture.spare * 2 + $0 * 7919 }
        var pages: [Int] = []
        try subject.add(numbers[0], isLabelled: isLabelled)
        let index = try LogIndex("\(fixture.file(.engine))-shm")
        for number in numbers.dropFirst() {
            let before = index.frameCount
            try subject.add(number, isLabelled: isLabelled)
            let after = index.frameCount
            // A checkpoint in between restarts the log.
            if after > before { pages.append(after - before) }
        }
        for number in numbers { try subject.delete(number) }
        return pages
    }
}

extension [Int] {
    var mean: Double { Double(reduce(0, +)) / Double(count) }
}

/// The index of a write-ahead log, as far as the number of its frames (sqlite.org/walformat.html, section 2.1).
private struct LogIndex {
    private let header: UnsafeRawPointer

    init(_ path: String) throws {
        // Never closed: closing any descriptor of the file would drop the locks that SQLite holds on it.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0, let header = mmap(nil, 4096, PROT_READ, MAP_SHARED, descriptor, 0), header != MAP_FAILED
        else { throw Failure("\(path) cannot be read") }
        self.header = UnsafeRawPointer(header)
    }

    /// mxFrame.
    var frameCount: Int { Int(header.load(fromByteOffset: 16, as: UInt32.self)) }
}
