// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Identifies the file at a path, to detect that a file was replaced or removed while it is open.
package struct FileIdentity: Sendable, Hashable {
    private let device: dev_t
    private let inode: ino_t

    /// The file at a path; `nil` if there is none.
    package init?(path: String) {
        var status = stat()
        // Passed as an argument, a string would be copied.
        guard path.withCString({ lstat($0, &status) }) == 0 else { return nil }
        device = status.st_dev
        inode = status.st_ino
    }

    /// The file to which a path leads through symbolic links; `nil` if there is none.
    package init?(target path: String) {
        var status = stat()
        guard path.withCString({ stat($0, &status) }) == 0 else { return nil }
        device = status.st_dev
        inode = status.st_ino
    }

    /// Its device and inode as text: unique among existing files, until the host is restarted.
    package var text: String { "\(device):\(inode)" }

    /// The file behind a descriptor; `nil` if there is none.
    package init?(descriptor: Int32) {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return nil }
        device = status.st_dev
        inode = status.st_ino
    }

    /// Whether a path leads to another file, or to none; `false` if that is unknown, for example because the file
    /// system fails.
    package func isReplaced(at path: String) -> Bool {
        var status = stat()
        let failure = path.withCString { lstat($0, &status) == 0 ? 0 : errno }
        guard failure == 0 else { return failure == ENOENT || failure == ENOTDIR }
        return status.st_dev != device || status.st_ino != inode
    }
}
