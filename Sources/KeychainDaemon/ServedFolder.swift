// SPDX-License-Identifier: Apache-2.0

import Glibc
import HostFiles

/// The folder that a daemon serves, whatever is at its path later: it may be removed, and made again, as a home folder
/// that exists for a test is.
///
/// It is known by its device and inode, and held open, so that no other folder gets these numbers.
final class ServedFolder: Sendable {
    private let folder: PrivateDirectory
    private let descriptor: Int32
    private let identity: FileIdentity?

    /// The folder as it is now.
    init(_ folder: PrivateDirectory) {
        self.folder = folder
        descriptor = open(folder.path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        identity = FileIdentity(descriptor: descriptor)
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// Whether its path leads to another folder, or to none.
    var isReplaced: Bool { identity == nil || FileIdentity(path: folder.path) != identity }

    /// Removes the record of the daemon, unless it is in another folder.
    func removeRecord() { if !isReplaced { folder.remove(DaemonRecord.fileName) } }
}
