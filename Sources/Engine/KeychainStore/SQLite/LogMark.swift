// SPDX-License-Identifier: Apache-2.0

/// The mark of a database file that a log may hold what the file lacks, and which log that is, so that a copy of the
/// file without it is told from a whole store (Documentation/Format.md, "The log").
///
/// It lies in the header of the file, where SQLite has bytes that it neither uses nor checks
/// (sqlite.org/fileformat2.html, section 1.3, offset 72), and names the file change counter beside which it was
/// written. SQLite increments the counter whenever it writes the first page to the log. So the mark ends by itself when
/// a page from the log takes the place of the first one, whoever writes the log back.
struct LogMark: Equatable {
    /// The file change counter.
    let counter: UInt32

    /// The log, by the salts of its header, which are others whenever the log is begun anew
    /// (sqlite.org/fileformat2.html, section 4.1).
    let salts: UInt64

    /// How many bytes of a file say whether it is marked.
    static let headerByteCount = 100

    /// Where it lies in a file.
    static let range = 72..<88

    private static let counterOffset = 24
    private static let name: UInt32 = 0x534B_4C43

    /// The mark in the beginning of a file; `nil` where there is none, or that of another counter.
    init?(header: UnsafeRawBufferPointer) {
        let offset = Self.range.lowerBound
        guard header.count >= Self.headerByteCount, header.number(at: offset, UInt32.self) == Self.name else {
            return nil
        }
        counter = header.number(at: offset + 4, UInt32.self)
        salts = header.number(at: offset + 8, UInt64.self)
        guard counter == header.number(at: Self.counterOffset, UInt32.self) else { return nil }
    }

    /// Puts the mark of a log into the beginning of a file.
    init(of salts: UInt64, in header: UnsafeMutableRawBufferPointer) {
        let bytes = UnsafeRawBufferPointer(header)
        counter = bytes.number(at: Self.counterOffset, UInt32.self)
        self.salts = salts
        let offset = Self.range.lowerBound
        header.storeBytes(of: Self.name.bigEndian, toByteOffset: offset, as: UInt32.self)
        header.storeBytes(of: counter.bigEndian, toByteOffset: offset + 4, as: UInt32.self)
        header.storeBytes(of: salts.bigEndian, toByteOffset: offset + 8, as: UInt64.self)
    }
}

extension UnsafeRawBufferPointer {
    /// A number, most significant byte first, as SQLite's files have all of them.
    func number<Number: FixedWidthInteger>(at offset: Int, _ type: Number.Type) -> Number {
        Number(bigEndian: loadUnaligned(fromByteOffset: offset, as: type))
    }
}
