// SPDX-License-Identifier: Apache-2.0

import Glibc
import KeychainSupport

/// Gives files names that no file has yet.
enum NewName {
    /// Renames a file, unless the new name is taken.
    ///
    /// - Throws: ``FileError/taken(path:)``, and the failure of the system; the file keeps its name.
    static func rename(_ old: UnsafePointer<CChar>, to new: UnsafePointer<CChar>) throws(FileError) {
        var failure = CSupport.renameNew(old, new)
        // Some file systems cannot rename without replacing, but can add a second name, which replaces nothing either.
        if failure == EINVAL || failure == ENOSYS {
            failure = link(old, new) == 0 ? 0 : errno
            if failure == 0 { unlink(old) }
        }
        guard failure != EEXIST else { throw .taken(path: String(cString: new)) }
        guard failure == 0 else { throw .system(call: "rename", path: String(cString: old), errno: failure) }
    }
}
