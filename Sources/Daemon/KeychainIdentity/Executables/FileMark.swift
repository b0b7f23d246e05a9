// SPDX-License-Identifier: Apache-2.0

import Glibc
import KeychainHost

/// The identity of a file, and the metadata that show most changes of its contents.
///
/// The time of the last inode change (ctime) cannot be set by the file's owner, but a write through a shared mapping
/// need not change it.
package struct FileMark: Sendable, Hashable {
    private let file: FileIdentity
    let byteCount: Int
    private let changed: FileTime

    init(_ status: stat) {
        file = FileIdentity(status)
        byteCount = Int(status.st_size)
        changed = FileTime(status.st_ctim)
    }

    /// Whether it is the same file, changed or not.
    func isSameFile(as other: FileMark) -> Bool { file == other.file }
}
