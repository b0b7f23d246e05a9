// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The user's folder for sockets and other files of a session (XDG Base Directory Specification 0.8).
///
/// The variable may name somebody else's folder, as after `su` or `sudo -E`. Its owner can rename whatever is made in
/// it, and put sockets and files of his own there, so that one is used for nothing.
package enum RuntimeFolder {
    /// The variable.
    package static let variable = "XDG_RUNTIME_DIR"

    /// The folder that the variable names; `nil` if it is not set, relative, or a folder that others can change.
    ///
    /// One that does not exist is returned: whoever needs it says that it is missing.
    package static func path<Failure: Error>(
        _ environment: (String) throws(Failure) -> String?
    ) throws(Failure) -> String? {
        guard let path = try environment(variable), path.isAbsolutePath, !isForeign(path) else { return nil }
        return path
    }

    /// Whether there is something that is no folder, or one that another user can change.
    private static func isForeign(_ path: String) -> Bool {
        var status = stat()
        guard stat(path, &status) == 0 else { return errno == EACCES }
        return status.st_mode & S_IFMT != S_IFDIR || status.st_uid != geteuid() || status.st_mode & 0o022 != 0
    }
}
