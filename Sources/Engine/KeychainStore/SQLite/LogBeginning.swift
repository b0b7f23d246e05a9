// SPDX-License-Identifier: Apache-2.0

import Glibc

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
