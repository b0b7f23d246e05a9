// SPDX-License-Identifier: Apache-2.0

import Glibc

/// By what a change of a file's contents is noticed: its size, and when it was last written.
package struct FileContentsMark: Sendable, Hashable {
    /// How many bytes the file has.
    package let byteCount: Int

    private let seconds: Int
    private let nanoseconds: Int

    /// The file at a path; `nil` if there is none.
    package init?(path: String) {
        var status = stat()
        guard lstat(path, &status) == 0 else { return nil }
        byteCount = Int(status.st_size)
        seconds = status.st_mtim.tv_sec
        nanoseconds = status.st_mtim.tv_nsec
    }
}
