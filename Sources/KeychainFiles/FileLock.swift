// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A lock file that one process at a time holds, for as long as the value lives.
public struct FileLock: ~Copyable {
    private let descriptor: Int32

    /// Waits for the lock.
    ///
    /// - Parameters:
    ///   - name: the lock file, which is made if it is missing and stays.
    ///   - folder: where it lies.
    ///   - timeoutMilliseconds: how long to wait.
    /// - Throws: ``FileError/lockTimeout(path:)`` when another process does not let go.
    public init(_ name: String, in folder: PrivateDirectory, timeoutMilliseconds: Int32) throws(FileError) {
        let path = folder.path(of: name)
        let descriptor = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw .system(call: "open", path: path, errno: errno) }
        var waited: Int32 = 0
        while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
            let failure = errno
            guard failure == EWOULDBLOCK || failure == EINTR, waited < timeoutMilliseconds else {
                close(descriptor)
                throw failure == EWOULDBLOCK
                    ? .lockTimeout(path: path) : .system(call: "flock", path: path, errno: failure)
            }
            usleep(5_000)
            waited += 5
        }
        self.descriptor = descriptor
    }

    deinit {
        // A child that was forked meanwhile has the descriptor, too, and would go on holding the lock.
        flock(descriptor, LOCK_UN)
        close(descriptor)
    }
}
