// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The identity of a file, and the metadata that show most changes of its contents.
///
/// The time of the last inode change (ctime) cannot be set by the file's owner, but a write through a shared mapping
/// need not change it.
package struct FileMark: Sendable, Hashable {
    private let device: UInt
    private let inode: UInt
    let byteCount: Int
    private let seconds: Int
    private let nanoseconds: Int

    init(_ status: stat) {
        device = UInt(status.st_dev)
        inode = UInt(status.st_ino)
        byteCount = Int(status.st_size)
        seconds = status.st_ctim.tv_sec
        nanoseconds = status.st_ctim.tv_nsec
    }

    /// Whether it is the same file, changed or not.
    func isSameFile(as other: FileMark) -> Bool { device == other.device && inode == other.inode }
}
