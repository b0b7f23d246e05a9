// SPDX-License-Identifier: Apache-2.0

import Glibc
import KeychainCore
import KeychainHost
import KeychainWire

/// The folder that a daemon serves, regardless of what is at its path later: it may be removed and recreated, like the
/// temporary home folder of a test.
///
/// It is identified by its device and inode, and held open, so that no other folder gets these numbers.
final class ServedFolder: Sendable {
    private let folder: PrivateDirectory
    private let descriptor: Int32
    private let identity: FileIdentity

    /// The folder as it is now.
    ///
    /// - Throws: why it cannot be opened.
    init(_ folder: PrivateDirectory) throws(KeychainError) {
        let descriptor = open(folder.path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        let failure = errno
        guard descriptor >= 0, let identity = FileIdentity(descriptor: descriptor) else {
            throw KeychainError(call: "open", errno: failure)
        }
        self.folder = folder
        self.descriptor = descriptor
        self.identity = identity
    }

    deinit { close(descriptor) }

    /// The number by which programs distinguish it from others, such as its copies.
    var number: FolderNumber { FolderNumber(identity) }

    /// Whether its path leads to another folder, or to none.
    var isReplaced: Bool { identity.isReplaced(at: folder.path) }

    /// Removes the record of the daemon, unless it is in another folder.
    func removeRecord() { if !isReplaced { folder.remove(DaemonRecord.fileName) } }
}
