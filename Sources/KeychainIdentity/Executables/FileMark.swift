// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Which file it is, and by what a change of its contents is noticed.
///
/// The last change of the inode (ctime) cannot be set by whoever owns the file.
public struct FileMark: Sendable, Hashable {
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
