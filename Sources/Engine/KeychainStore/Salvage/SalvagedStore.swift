// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainHost

/// What is left of a store's file and log, read page by page without SQLite's judgement.
///
/// The file may have any origin. Rows are taken from the trees of the tables; where a page of these is missing or makes
/// no sense, from every page that no tree reaches and that holds rows. A table is known by the number of its columns,
/// which no other has. SQLite overwrites what it deletes (`PRAGMA secure_delete`), so that no deleted row is found.
///
/// Nothing is authenticated here: that takes keys.
package final class SalvagedStore {
    private let pages: DatabasePages
    /// Keeps other processes from restarting the log, or from writing more of it into the file than was read.
    private let reading: SQLiteConnection?
    private let staging: SalvageStaging
    private var reached: Set<Int> = []

    /// The root pages of the tables that the file declares.
    private var roots: [String: Int] = [:]

    /// The bytes of the keybag; `nil` if no row is one.
    package private(set) var keybag: [UInt8]?

    /// The record of the device; `nil` if no row is one.
    package private(set) var deviceRecord: DeviceRecord?

    /// The number of former values that are kept of items without one of their own; `nil` if no row is one.
    package private(set) var historyNumber: Int?

    /// Whether there is a row for it that is none.
    package private(set) var hasDamagedHistoryNumber = false

    /// How many pages of trees are missing, or make no sense.
    package private(set) var lostPages = 0
    /// Those of the trees that hold no items.
    private var lostPagesBesides = 0
    /// How many rows were met whose bytes are not a row.
    package private(set) var lostCells = 0

    /// Reads the file of a folder's store, with its log unless that is to be left out.
    ///
    /// - Throws: ``KeychainError`` if the file cannot be read, or there is no memory.
    package convenience init(in folder: PrivateDirectory, ignoringLog: Bool = false) throws(KeychainError) {
        let path = folder.path(of: Store.fileName)
        let reading = ignoringLog ? nil : try? SQLiteConnection(readingOneStateOf: path)
        let file = try sql { () throws(SQLiteError) in try FileBytes(database: path) }
        try self.init(file, LogContents(ignoringLog ? nil : FileBytes(path: path + "-wal")), reading: reading)
    }

    /// The same of bytes in memory.
    package convenience init(file: [UInt8], log: [UInt8]) throws(KeychainError) {
        try self.init(FileBytes(file), LogContents(FileBytes(log)))
    }

    private init(_ file: FileBytes, _ log: LogContents, reading: SQLiteConnection? = nil) throws(KeychainError) {
        self.reading = reading
        pages = DatabasePages(file, log)
        do { staging = try SalvageStaging() } catch { throw KeychainError(error) }
        readDeclarations()
        keybag =
            records(of: Layout.keybag, columns: 2).lazy.compactMap { values in
                if case .blob(let bytes) = values[1] { Array(bytes) } else { nil }
            }.first
        for values in records(of: Layout.device, columns: SalvageStaging.deviceColumnCount) where deviceRecord == nil {
            deviceRecord = try sql { () throws(SQLiteError) in try staging.deviceRecord(values) }
        }
        if roots[HistoryLayout.name] != nil {
            let rows = placedRecords(of: HistoryLayout.name, columns: 2)
            historyNumber =
                rows.found.lazy.compactMap { values in
                    // The identifier is not in the record.
                    guard values[0] == .null, case .integer(let number) = values[1] else { return nil }
                    return Int(exactly: number).flatMap { (0...ItemHistory.maximumCount).contains($0) ? $0 : nil }
                }.first
            // What is found elsewhere may be of another table.
            hasDamagedHistoryNumber = historyNumber == nil && rows.isInTree
        }
        lostPagesBesides = lostPages
    }

    /// The version of the file; `nil` where its first bytes are not those of a store.
    package var version: FileVersion? {
        guard let header = pages.header, header.applicationIdentifier == Layout.applicationIdentifier else {
            return nil
        }
        return FileVersion(recorded: header.version)
    }

    /// Passes every row of the item tables to `body`, those of one table after those of another.
    package func forEachRow(_ body: (SalvagedRow) throws(KeychainError) -> Void) throws(KeychainError) {
        let before = reached
        defer { reached = before }
        (lostPages, lostCells) = (lostPagesBesides, 0)
        // A page that a wrong number leads to is not one of the next table.
        for itemClass in ItemClass.stored {
            guard let root = roots[Layout.table(itemClass)] else {
                lostPages += 1
                continue
            }
            try forEachLeaf(from: root) { (page) throws(KeychainError) in
                try forEachRow(of: page, body)
            }
        }
        let lostCells = lostCells
        try forEachLostLeaf { (page) throws(KeychainError) in try forEachRow(of: page, body) }
        // Pages that no tree leads to may be those of any table.
        self.lostCells = lostCells
    }

    /// The records of a table of one row, from its tree or else from anywhere.
    private func records(of table: String, columns: Int) -> [[Record.Value]] {
        placedRecords(of: table, columns: columns).found
    }

    /// The same, and whether they are in its tree, which is read once: pages that are met twice count as lost.
    private func placedRecords(of table: String, columns: Int) -> (found: [[Record.Value]], isInTree: Bool) {
        var found: [[Record.Value]] = []
        let collect = { [self] (page: TreePage) in
            for cell in cells(of: page) where found.count < Self.maximumRecords {
                // Overflow pages are left to the rows that have them.
                guard let (_, record) = page.row(at: cell, of: pages, limit: Self.smallLimit, claim: { _ in true }),
                    record.values.count == columns, !record.isCut
                else { continue }
                found.append(record.values)
            }
        }
        if let root = roots[table] { forEachLeaf(from: root, collect) }
        guard found.isEmpty else { return (found, true) }
        for number in pages.numbers where found.count < Self.maximumRecords && !reached.contains(number) {
            if let page = leaf(number) { collect(page) }
        }
        return (found, false)
    }

    /// The cells of a page, but for many that lie over one another; some may, where sizes are damaged.
    private func cells(of page: TreePage) -> [Int] {
        var room = 16 * pages.pageSize
        return page.cells.filter { cell in
            guard let size = page.recordByteCount(at: cell) else { return true }
            room -= TreePage.localByteCount(size, usable: pages.usableSize)
            return room >= 0
        }
    }

    private func forEachRow(
        of page: TreePage,
        _ body: (SalvagedRow) throws(KeychainError) -> Void
    ) throws(KeychainError) {
        let cells = cells(of: page)
        lostCells += page.badCells + page.cells.count - cells.count
        for cell in cells {
            guard let (number, record) = page.row(at: cell, of: pages, limit: Self.rowLimit, claim: claim),
                let itemClass = SalvageStaging.itemClass(columns: record.values.count)
            else {
                lostCells += 1
                continue
            }
            let row = try sql { () throws(SQLiteError) in
                try staging.row(itemClass, number: number, values: record.values)
            }
            try body(SalvagedRow(row: row.row, isWellFormed: row.isWellFormed && !record.isCut))
        }
    }

    /// As many bytes as a row may have; of a larger one the beginning is enough to tell what it was.
    private static let rowLimit = Int(SQLiteConnection.longestRow)

    /// More than a declaration, a keybag or the record of a device has.
    private static let smallLimit = 1 << 16

    /// More than a table of one row has, and more than there are indexes.
    private static let (maximumRecords, maximumRoots) = (16, 1_000)
}

/// A row of a damaged store.
package struct SalvagedRow: Sendable {
    /// The row; columns of a wrong shape, and those that are missing, come out as values that do not authenticate.
    package let row: NumberedRow
    /// Whether every column has its shape.
    package let isWellFormed: Bool
}

extension SalvagedStore {
    /// The root pages of tables, and which pages belong to indexes or are free, so that they hold no rows.
    private func readDeclarations() {
        var otherRoots: [Int] = []
        forEachLeaf(from: 1) { page in
            for cell in cells(of: page) {
                guard let (_, record) = page.row(at: cell, of: pages, limit: Self.smallLimit, claim: claim),
                    record.values.count == 5, case .text(let type) = record.values[0],
                    case .text(let name) = record.values[1], case .integer(let root) = record.values[3],
                    root > 1, root <= pages.count
                else { continue }
                if type.elementsEqual("table".utf8) {
                    let name = String(decoding: name, as: UTF8.self)
                    if Self.tables.contains(name) { roots[name] = Int(root) }
                } else if otherRoots.count < Self.maximumRoots {
                    otherRoots.append(Int(root))
                }
            }
        }
        for root in otherRoots { visit(from: root, isMeant: \.isOfIndex) { _ in } }
        markFreePages()
    }

    /// The tables whose rows are read.
    private static let tables = Set(
        [Layout.keybag, Layout.device, HistoryLayout.name] + ItemClass.stored.map(Layout.table)
    )

    /// Pages that SQLite lists as free (sqlite.org/fileformat2.html, section 1.5).
    private func markFreePages() {
        var next = pages.header?.firstFreePage
        while let number = next, let page = pages[number], leaf(number) == nil, claim(number) {
            let count = Int(page.withUnsafeBytes { $0.number(at: 4, UInt32.self) })
            for index in 0..<min(count, page.count / 4 - 2) {
                guard let free = TreePage.page(in: page, at: 8 + 4 * index), free <= pages.count else { continue }
                // A page with rows is not free, whatever a list says that may be damaged.
                if leaf(free) == nil { claim(free) }
            }
            next = TreePage.page(in: page, at: 0)
        }
    }

    /// Reserves a page for what has led to it; `false` if something else has it.
    @discardableResult
    private func claim(_ number: Int) -> Bool {
        number >= 1 && number <= pages.count && reached.insert(number).inserted
    }

    /// A page of a tree; one of another kind is not what it was, or belongs to another tree.
    private func page(_ number: Int, isMeant: (TreePage.Kind) -> Bool) -> TreePage? {
        guard let bytes = pages[number], let page = TreePage(bytes, number: number), isMeant(page.kind) else {
            return nil
        }
        return page
    }

    private func leaf(_ number: Int) -> TreePage? {
        page(number, isMeant: { $0 == .tableLeaf })
    }

    private func forEachLeaf<Failure: Error>(
        from root: Int,
        _ body: (TreePage) throws(Failure) -> Void
    ) throws(Failure) {
        try visit(from: root, isMeant: \.isOfTable, body)
    }

    /// Visits the leaves of a tree in their order, each page once.
    private func visit<Failure: Error>(
        from root: Int,
        isMeant: (TreePage.Kind) -> Bool,
        _ body: (TreePage) throws(Failure) -> Void
    ) throws(Failure) {
        var (waiting, seen) = ([root], Set<Int>())
        while let number = waiting.popLast() {
            guard seen.insert(number).inserted, let page = page(number, isMeant: isMeant), claim(number) else {
                lostPages += 1
                continue
            }
            if page.kind.isInterior {
                lostPages += page.badCells
                waiting += page.children.reversed()
            } else {
                try body(page)
            }
        }
    }

    /// Visits the leaves that no tree leads to, if one that should is missing.
    private func forEachLostLeaf<Failure: Error>(_ body: (TreePage) throws(Failure) -> Void) throws(Failure) {
        guard lostPages > 0 else { return }
        for number in pages.numbers where !reached.contains(number) {
            guard let page = leaf(number), claim(number) else { continue }
            try body(page)
        }
    }
}

extension SQLiteConnection {
    /// Opens a database and begins to read it, if SQLite accepts it.
    fileprivate convenience init(readingOneStateOf path: String) throws(SQLiteError) {
        try self.init(reading: path)
        try execute("BEGIN")
        _ = try integer("PRAGMA schema_version")
    }
}
