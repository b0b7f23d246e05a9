// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The page map of a process: `/proc/PID/pagemap` (proc(5)), 64 bits for each page.
struct PageMap: ~Copyable {
    private let file: Descriptor

    init(_ file: consuming Descriptor) { self.file = file }

    /// Bits of a page: it is in memory or in swap space, and it is of a file or shared.
    private enum Flag {
        static let isPresent: UInt64 = 1 << 63
        static let isSwapped: UInt64 = 1 << 62
        static let isOfFile: UInt64 = 1 << 61
    }

    /// The number of pages that are read at once.
    private static let chunk = 4_096

    /// Whether a page in a range is a private copy instead of the file's page: the kernel copies a page when it is
    /// written to.
    ///
    /// - Throws: ``IdentityError`` if nobody waits for the check any more.
    func hasCopiedPage(_ addresses: Range<UInt64>, _ effort: CheckEffort? = nil) throws(IdentityError) -> Bool {
        let pageSize = UInt64(sysconf(Int32(_SC_PAGESIZE)))
        var pages = [UInt64](repeating: 0, count: Self.chunk)
        var page = addresses.lowerBound / pageSize
        let end = addresses.upperBound / pageSize
        while page < end, let offset = off_t(exactly: page * 8) {
            try effort?.checkIsOfUse()
            let count = Int(min(UInt64(Self.chunk), end - page))
            let read = pages.withUnsafeMutableBytes { pread(file.number, $0.baseAddress, count * 8, offset) }
            // The kernel's own addresses have no entries.
            guard read > 0 else { return read < 0 }
            for flags in pages[..<(read / 8)] {
                let isThere = flags & (Flag.isPresent | Flag.isSwapped) != 0
                if isThere, flags & Flag.isOfFile == 0 { return true }
            }
            page += UInt64(read / 8)
        }
        return false
    }
}
