// SPDX-License-Identifier: Apache-2.0

import Foundation

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The right of one thread in one process to replace files in a folder; the system releases it when the process exits.
struct FolderLock {
    private let descriptor: Int32

    /// Whether the lock is held; false if the file system has no locks.
    let isExclusive: Bool

    /// Waits for the lock of a file's folder; `nil` if there is no folder.
    init?(ofFolderOf path: String) throws(DurableFileError) {
        descriptor = open(DurableFile.folder(of: path), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else {
            if errno == ENOENT || errno == ENOTDIR { return nil }
            throw .last
        }
        var result = flock(descriptor, LOCK_EX)
        while result != 0, errno == EINTR { result = flock(descriptor, LOCK_EX) }
        isExclusive = result == 0
    }

    /// Gives it back.
    func release() { close(descriptor) }
}
