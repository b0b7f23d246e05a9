// SPDX-License-Identifier: Apache-2.0

/// The committed pages of a write-ahead log, by SQLite's own rules (sqlite.org/fileformat2.html, section 4).
struct LogContents {
    /// How much of a log can be used.
    enum State: Sendable, Hashable {
        /// There is no log, or one without a byte.
        case empty
        /// Everything in it is part of a transaction, or was not committed.
        case whole
        /// Its header is not one, so that nothing in it can be used.
        case malformed
        /// Behind its last valid page are pages of the same log, which are lost.
        case cut(lostPages: Int)
    }

    let state: State
    /// The size of a page; 0 without a header.
    let pageSize: Int
    /// The size of the database after the last transaction, in pages; 0 if there is no transaction.
    let pageCount: Int
    /// The salts in its header; `nil` without a header.
    let salts: UInt64?
    /// Where the latest version of each page begins.
    private let offsets: [Int: Int]
    private let file: FileBytes?

    /// A log that does not count.
    static var none: LogContents { LogContents(.empty) }

    private init(
        _ state: State,
        pageSize: Int = 0,
        pageCount: Int = 0,
        salts: UInt64? = nil,
        offsets: [Int: Int] = [:],
        file: FileBytes? = nil
    ) {
        self.state = state
        self.pageSize = pageSize
        self.pageCount = pageCount
        self.salts = salts
        self.offsets = offsets
        self.file = file
    }

    /// Reads a log up to its last valid transaction.
    init(_ file: FileBytes?) {
        guard let file, file.count > 0 else {
            self.init(.empty)
            return
        }
        guard let header = Header(file.read(at: 0, LogBeginning.headerByteCount)) else {
            self.init(.malformed)
            return
        }
        let frameByteCount = LogBeginning.pageHeaderByteCount + header.pageSize
        var (sum, offset) = (header.checksum, LogBeginning.headerByteCount)
        var (committed, pending): ([Int: Int], [Int: Int]) = ([:], [:])
        var pageCount = 0
        while true {
            let frame = file.read(at: offset, frameByteCount)
            guard frame.count == frameByteCount, let page = header.page(of: frame, after: &sum) else { break }
            pending[page.number] = offset + LogBeginning.pageHeaderByteCount
            if page.sizeAfterCommit > 0 {
                committed.merge(pending) { $1 }
                pending = [:]
                pageCount = page.sizeAfterCommit
            }
            offset += frameByteCount
        }
        let lostPages = header.pagesOfSameLog(in: file, from: offset, frameByteCount)
        self.init(
            lostPages > 0 ? .cut(lostPages: lostPages) : .whole,
            pageSize: header.pageSize,
            pageCount: pageCount,
            salts: header.salts,
            offsets: committed,
            file: file
        )
    }

    /// The bytes of a page; `nil` if the log does not have it.
    func page(_ number: Int) -> [UInt8]? {
        guard let offset = offsets[number] else { return nil }
        return file?.read(at: offset, pageSize)
    }

    /// Whether it has any page of the database.
    var hasPages: Bool { !offsets.isEmpty }

    /// The numbers of its pages.
    var numbers: [Int] { Array(offsets.keys) }

    private struct Header {
        let pageSize: Int
        let salts: UInt64
        let checksum: Checksum

        init?(_ bytes: [UInt8]) {
            guard bytes.count == LogBeginning.headerByteCount else { return nil }
            let numbers = bytes.withUnsafeBytes { bytes in
                (0..<8).map { bytes.number(at: 4 * $0, UInt32.self) }
            }
            // The last bit specifies the byte order of checksums.
            guard numbers[0] & ~1 == 0x377F_0682, numbers[1] == 3_007_000, (512...65_536).contains(numbers[2]),
                numbers[2].nonzeroBitCount == 1
            else { return nil }
            var checksum = Checksum(isBigEndian: numbers[0] & 1 != 0)
            checksum.add(bytes[..<24])
            guard checksum.isEqual(numbers[6], numbers[7]) else { return nil }
            pageSize = Int(numbers[2])
            salts = UInt64(numbers[4]) << 32 | UInt64(numbers[5])
            self.checksum = checksum
        }

        /// The page of a frame, if the frame is the next one; its checksum includes those of all frames before it.
        func page(of frame: [UInt8], after sum: inout Checksum) -> (number: Int, sizeAfterCommit: Int)? {
            guard let page = pageHeader(frame) else { return nil }
            var next = sum
            next.add(frame[..<8])
            next.add(frame[LogBeginning.pageHeaderByteCount...])
            guard next.isEqual(page.checksum.0, page.checksum.1) else { return nil }
            sum = next
            return (page.number, page.sizeAfterCommit)
        }

        /// How many frames of this log there are, valid or not.
        func pagesOfSameLog(in file: FileBytes, from start: Int, _ frameByteCount: Int) -> Int {
            var (count, offset) = (0, start)
            while offset < file.count {
                if pageHeader(file.read(at: offset, LogBeginning.pageHeaderByteCount)) != nil { count += 1 }
                offset += frameByteCount
            }
            // A process that is killed, or that is writing now, leaves one page of which a part is missing, at the end
            // of the log or over a page of the log before.
            return count == 1 && file.count - start != frameByteCount ? 0 : count
        }

        private func pageHeader(
            _ frame: [UInt8]
        ) -> (number: Int, sizeAfterCommit: Int, checksum: (UInt32, UInt32))? {
            guard frame.count >= LogBeginning.pageHeaderByteCount else { return nil }
            return frame.withUnsafeBytes { frame in
                let number = frame.number(at: 0, UInt32.self)
                guard number > 0, number < Int32.max,
                    frame.number(at: LogBeginning.saltsOffsetOfPage, UInt64.self) == salts
                else { return nil }
                let checksum = (frame.number(at: 16, UInt32.self), frame.number(at: 20, UInt32.self))
                return (Int(number), Int(frame.number(at: 4, UInt32.self) & 0x7FFF_FFFF), checksum)
            }
        }
    }

    /// SQLite's checksum of a log (section 4.2).
    private struct Checksum {
        let isBigEndian: Bool
        private var sums: (UInt32, UInt32) = (0, 0)

        init(isBigEndian: Bool) { self.isBigEndian = isBigEndian }

        mutating func add(_ bytes: ArraySlice<UInt8>) {
            var (first, second) = sums
            bytes.withUnsafeBytes { bytes in
                for offset in stride(from: 0, to: bytes.count - 7, by: 8) {
                    let words = (
                        bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self),
                        bytes.loadUnaligned(fromByteOffset: offset + 4, as: UInt32.self)
                    )
                    first &+= (isBigEndian ? words.0.bigEndian : words.0.littleEndian) &+ second
                    second &+= (isBigEndian ? words.1.bigEndian : words.1.littleEndian) &+ first
                }
            }
            sums = (first, second)
        }

        func isEqual(_ first: UInt32, _ second: UInt32) -> Bool { sums == (first, second) }
    }
}
