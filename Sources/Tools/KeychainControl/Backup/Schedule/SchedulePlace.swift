// SPDX-License-Identifier: Apache-2.0

import Glibc
import KeychainHost

/// The folder of a keychain that a schedule was made for.
///
/// A copy of the folder has a copy of the schedule, whose runs would remove the backups of the original. So only the
/// same folder at the same path counts: not one that was moved, or put in the place of another one, either.
struct SchedulePlace: Codable, Equatable {
    /// The path, without symbolic links.
    let path: String

    /// The inode, without the device, whose number may change with a restart of the host.
    private let inode: UInt64

    /// The folder at a path; `nil` if there is none.
    init?(_ folder: String) {
        let found = try? PrivateDirectory(asItIs: KeychainLocation(path: folder))
        var status = stat()
        guard let path = found?.path, lstat(path, &status) == 0 else { return nil }
        self.path = path
        inode = UInt64(status.st_ino)
    }
}
