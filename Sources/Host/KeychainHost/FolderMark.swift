// SPDX-License-Identifier: Apache-2.0

import Glibc

/// By what it is noticed that a name in a folder was made, removed, or given to another file: which folder it is, and
/// when it was last changed.
package struct FolderMark: Sendable, Hashable {
    private let device: dev_t
    private let inode: ino_t
    private let seconds: Int
    private let nanoseconds: Int

    /// The folder at a path; `nil` when there is none, and when it was changed so recently that another change could
    /// have the same time.
    package init?(path: String) {
        var status = stat()
        guard path.withCString({ lstat($0, &status) }) == 0 else { return nil }
        device = status.st_dev
        inode = status.st_ino
        seconds = status.st_ctim.tv_sec
        nanoseconds = status.st_ctim.tv_nsec
        var now = timespec()
        clock_gettime(CLOCK_REALTIME_COARSE, &now)
        let age = (now.tv_sec - seconds) * 1_000_000_000 + now.tv_nsec - nanoseconds
        // Times of files have the clock of ticks, which come a hundred times in a second at least; those of some file
        // systems are whole numbers of one or two seconds.
        guard age > (nanoseconds == 0 ? 3_000_000_000 : 100_000_000) else { return nil }
    }
}
