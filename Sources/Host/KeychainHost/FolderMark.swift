// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Detects whether a name in a folder was created, removed, or given to another file.
///
/// It consists of the folder's identity and the time of its last change.
package struct FolderMark: Sendable, Hashable {
    private let device: dev_t
    private let inode: ino_t
    private let seconds: Int
    private let nanoseconds: Int

    /// The folder at a path; `nil` if there is none, and if it was changed so recently that another change could have
    /// the same time.
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
        // File times have the resolution of the kernel's tick, at least a hundred times per second; those of some file
        // systems are whole numbers of one or two seconds.
        guard age > (nanoseconds == 0 ? 3_000_000_000 : 100_000_000) else { return nil }
    }
}
