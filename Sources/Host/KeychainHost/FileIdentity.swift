// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Identifies the file at a path, to detect that a file was replaced or removed while it is open.
package struct FileIdentity: Sendable, Hashable {
    private let device: dev_t
    private let inode: ino_t

    /// The file that stat(2) described.
    package init(_ status: stat) {
        device = status.st_dev
        inode = status.st_ino
    }

    /// The file at a path; `nil` if there is none.
    package init?(path: String) {
        var status = stat()
        // Passed as an argument, a string would be copied.
        guard path.withCString({ lstat($0, &status) }) == 0 else { return nil }
        self.init(status)
    }

    /// The file to which a path leads through symbolic links; `nil` if there is none.
    package init?(target path: String) {
        var status = stat()
        guard path.withCString({ stat($0, &status) }) == 0 else { return nil }
        self.init(status)
    }

    /// The number of its file system.
    package var fileSystem: UInt64 { UInt64(device) }

    /// Its device and inode as text: unique among existing files, until the host is restarted.
    package var text: String { "\(device):\(inode)" }

    /// The file behind a descriptor; `nil` if there is none.
    package init?(descriptor: Int32) {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return nil }
        self.init(status)
    }

    /// Whether a path leads to another file, or to none; `false` if that is unknown, for example because the file
    /// system fails.
    package func isReplaced(at path: String) -> Bool {
        var status = stat()
        let failure = path.withCString { lstat($0, &status) == 0 ? 0 : errno }
        guard failure == 0 else { return failure == ENOENT || failure == ENOTDIR }
        return FileIdentity(status) != self
    }
}

/// When a file or a folder was last changed, by the clock of its file system.
package struct FileTime: Sendable, Hashable {
    /// Seconds since 1970.
    package let seconds: Int
    /// Nanoseconds of the second.
    package let nanoseconds: Int

    /// A time of stat(2).
    package init(_ time: timespec) {
        seconds = time.tv_sec
        nanoseconds = time.tv_nsec
    }

    /// Whether it is so long ago that another change has another time.
    package var isPast: Bool {
        var now = timespec()
        clock_gettime(CLOCK_REALTIME_COARSE, &now)
        // By a clock that is wrong, either may be centuries away, which nanoseconds cannot count.
        guard seconds >= now.tv_sec - 10 else { return true }
        guard seconds <= now.tv_sec else { return false }
        let age = (now.tv_sec - seconds) * 1_000_000_000 + now.tv_nsec - nanoseconds
        // File times have the resolution of the kernel's tick, at least a hundred times per second; those of some file
        // systems are whole numbers of one or two seconds.
        return age > (nanoseconds == 0 ? 3_000_000_000 : 100_000_000)
    }
}

/// Detects whether a name in a folder was created, removed, or given to another file.
///
/// It consists of the folder's identity and the time of its last change.
package struct FolderMark: Sendable, Hashable {
    private let folder: FileIdentity
    private let time: FileTime

    /// The folder at a path; `nil` if there is none, and if it was changed so recently that another change could have
    /// the same time.
    package init?(path: String) {
        var status = stat()
        guard path.withCString({ lstat($0, &status) }) == 0 else { return nil }
        folder = FileIdentity(status)
        time = FileTime(status.st_ctim)
        guard time.isPast else { return nil }
    }
}

/// By what a change of a file's contents is noticed: its size, and when it was last written.
package struct FileContentsMark: Sendable, Hashable {
    /// How many bytes the file has.
    package let byteCount: Int

    private let time: FileTime

    /// The file that stat(2) described.
    package init(_ status: stat) {
        byteCount = Int(status.st_size)
        time = FileTime(status.st_mtim)
    }

    /// The file at a path; `nil` if there is none.
    package init?(path: String) {
        var status = stat()
        guard lstat(path, &status) == 0 else { return nil }
        self.init(status)
    }
}
