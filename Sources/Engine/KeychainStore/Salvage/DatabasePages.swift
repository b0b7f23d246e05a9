// SPDX-License-Identifier: Apache-2.0

/// The pages of a database as they lie in its file and its log, which SQLite need not accept.
final class DatabasePages {
    /// The size of a page.
    let pageSize: Int
    /// The bytes of a page that SQLite uses; the rest is reserved.
    let usableSize: Int
    /// The number of the last page of the database.
    let count: Int
    /// What the first page says of the database; `nil` if it is not the first page of one.
    let header: Header?

    private let file: FileBytes
    private let log: LogContents

    /// The first bytes of a database (sqlite.org/fileformat2.html, section 1.3).
    struct Header {
        let applicationIdentifier: Int64
        let version: Int64
        let firstFreePage: Int
        fileprivate let pageSize: Int
        fileprivate let reserved: Int

        init?(_ bytes: [UInt8]) {
            guard bytes.count >= LogMark.headerByteCount, bytes.starts(with: FileHeader.mark) else { return nil }
            let number = { (offset: Int) in
                bytes.withUnsafeBytes { $0.number(at: offset, UInt32.self) }
            }
            let recorded = Int(bytes[16]) << 8 | Int(bytes[17])
            pageSize = recorded == 1 ? 65_536 : recorded
            reserved = Int(bytes[20])
            firstFreePage = Int(number(32))
            version = Int64(number(60))
            applicationIdentifier = Int64(number(68))
        }

        fileprivate var hasPossibleSize: Bool {
            (512...65_536).contains(pageSize) && pageSize.nonzeroBitCount == 1 && pageSize - reserved >= 480
        }
    }

    /// The pages of a file, and in front of them those of its log.
    init(_ file: FileBytes, _ log: LogContents) {
        self.file = file
        self.log = log.hasPages ? log : .none
        let beginning = log.page(1) ?? file.read(at: 0, LogMark.headerByteCount)
        header = Header(beginning)
        let known = header.flatMap { $0.hasPossibleSize ? $0 : nil }
        let pageSize = self.log.hasPages ? log.pageSize : known?.pageSize ?? Self.usualSize
        self.pageSize = pageSize
        usableSize = pageSize - (known.map { $0.pageSize == pageSize ? $0.reserved : 0 } ?? 0)
        count = self.log.hasPages ? log.pageCount : (file.count + pageSize - 1) / pageSize
    }

    /// Whether the first page is that of a database, with a size that pages can have.
    var hasHeader: Bool { header?.hasPossibleSize ?? false }

    /// What SQLite makes.
    private static let usualSize = 4_096

    /// The numbers of all pages that are there, in order.
    var numbers: [Int] {
        let ofFile = min(count, file.count / pageSize)
        return Array(1..<ofFile + 1) + log.numbers.filter { $0 > ofFile && $0 <= count }.sorted()
    }

    /// A page, counted from 1; `nil` if it is not there as a whole.
    subscript(number: Int) -> [UInt8]? {
        guard number >= 1, number <= count else { return nil }
        if let page = log.page(number) { return page.count == pageSize ? page : nil }
        let page = file.read(at: (number - 1) * pageSize, pageSize)
        return page.count == pageSize ? page : nil
    }
}
