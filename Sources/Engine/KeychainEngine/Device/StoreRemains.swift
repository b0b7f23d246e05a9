// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainHost
import KeychainProtection
import KeychainStore

/// What earlier stores left in a folder: logs that were set aside, files that a repair kept or did not finish, root
/// keys that were not finished, rows of a move that was interrupted.
///
/// They have items, and open with the keys of their time.
struct StoreRemains {
    private let folder: PrivateDirectory
    private let location: KeychainLocation

    init(in folder: PrivateDirectory, _ location: KeychainLocation) {
        (self.folder, self.location) = (folder, location)
    }

    /// Removes them; the caller holds the lock of ``Store/lock(_:until:)``.
    func remove() {
        for companion in ["-wal", "-shm", "-journal"] {
            let prefix = "\(Store.fileName)\(companion).orphan-"
            for name in folder.names(beginningWith: prefix) where Int(name.dropFirst(prefix.count)) != nil {
                folder.remove(name)
            }
        }
        for name in StoreReplacement.keptFiles(in: folder) { folder.remove(name) }
        StoreReplacement.removeRemains(from: folder)
        // A root key that a program did not finish writing.
        for name in folder.names(beginningWith: RootKeyFile.name) where name.hasSuffix(PrivateDirectory.temporarySuffix)
        {
            folder.remove(name)
        }
        folder.remove(ScheduleMark.fileName)
        IncomingKeychain.remove(from: location)
        FileLock.emptyAll(in: folder)
        try? folder.sync()
    }
}
