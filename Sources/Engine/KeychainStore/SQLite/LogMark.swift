// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Marks a database file whose log may contain what the file lacks, and identifies the log.
///
/// A copy of the file without the log can thus be distinguished from a complete store (Documentation/Format.md, "The
/// log").
///
/// It is in the header of the file, in bytes that SQLite neither uses nor checks (sqlite.org/fileformat2.html, section
/// 1.3, offset 72), and contains the file change counter with which it was written. SQLite increments the counter
/// whenever it writes the first page to the log. So the mark becomes invalid when the first page is replaced from the
/// log, by any program that writes the log back.
struct LogMark: Equatable {
    /// The file change counter.
    let counter: UInt32

    /// The salts in the header of the log, which change whenever the log is restarted (sqlite.org/fileformat2.html,
    /// section 4.1).
    let salts: UInt64

    /// The number of bytes of a file that determine whether it is marked.
    static let headerByteCount = 100

    /// Its offset in a file.
    static let range = 72..<88

    private static let counterOffset = 24
    private static let name: UInt32 = 0x534B_4C43

    /// The mark at the start of a file; `nil` if there is none, or one for another counter.
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

/// The header of a log (sqlite.org/fileformat2.html, section 4.1).
struct LogBeginning {
    /// The salts, which identify the log.
    let salts: UInt64

    /// Whether it contains a page, or was meant to; pages of the previous log have other salts.
    let hasPages: Bool

    static let headerByteCount = 32
    static let pageHeaderByteCount = 24
    static let saltsOffset = 16
    static let saltsOffsetOfPage = 8

    /// Reads the header of a log; `nil` if there is none.
    init?(path: String) {
        let descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: Self.headerByteCount + Self.pageHeaderByteCount)
        let count = pread(descriptor, &bytes, bytes.count, 0)
        guard count >= Self.headerByteCount else { return nil }
        let found = bytes.withUnsafeBytes { bytes -> (salts: UInt64, ofPage: UInt64)? in
            // The last bit specifies the byte order of checksums.
            guard bytes.number(at: 0, UInt32.self) & ~1 == 0x377F_0682 else { return nil }
            return (
                bytes.number(at: Self.saltsOffset, UInt64.self),
                bytes.number(at: Self.headerByteCount + Self.saltsOffsetOfPage, UInt64.self)
            )
        }
        guard let found else { return nil }
        salts = found.salts
        hasPages = count == bytes.count && found.ofPage == found.salts
    }

    /// Whether it is the log that a mark identifies, or the next one, which is still empty.
    ///
    /// The next one was started after all of the previous one was in the file, and a crash has restored the mark that
    /// was removed then.
    ///
    /// A log that is restarted has the first salt of the previous one, plus one.
    func belongs(to mark: LogMark) -> Bool {
        salts == mark.salts || !hasPages && UInt32(salts >> 32) == UInt32(mark.salts >> 32) &+ 1
    }
}
