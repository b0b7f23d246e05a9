// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Detects whether a name in a folder was created, removed, or given to another file.
///
/// It consists of the folder's identity and the time of its last change.
package struct FolderMark: Sendable, Hashable {
    private let device: dev_t
    private let inode: ino_t
    private let time: FileTime

    /// The folder at a path; `nil` if there is none, and if it was changed so recently that another change could have
    /// the same time.
    package init?(path: String) {
        var status = stat()
        guard path.withCString({ lstat($0, &status) }) == 0 else { return nil }
        device = status.st_dev
        inode = status.st_ino
        time = FileTime(status.st_ctim)
        guard time.isPast else { return nil }
    }
}
