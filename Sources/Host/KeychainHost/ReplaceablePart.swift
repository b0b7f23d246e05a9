// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A part of a path whose owner or mode permits another user to replace what the path leads to.
///
/// The rule is that of `StrictModes` (sshd_config(5)): every folder belongs to root or the user, and no other user may
/// write to it, unless the sticky bit restricts each entry to its owner (inode(7)). Symbolic links are followed, and
/// each is checked like its target.
package struct ReplaceablePart: Sendable, Hashable {
    /// The path of the part.
    package let path: String

    /// The other user whom it belongs to; `nil` for a folder of root's or the user's own that others may write to.
    package let owner: UInt32?

    /// A part, with the other user whom it belongs to.
    package init(path: String, owner: UInt32?) {
        self.path = path
        self.owner = owner
    }

    /// The first such part of an absolute path, from the root folder on; `nil` if there is none.
    ///
    /// The check ends, without a result, if a part is missing or cannot be inspected.
    ///
    /// - Parameters:
    ///   - path: the path; its last part is checked like all others.
    ///   - group: whether write permission of a group counts: not for the user's private group, which has the user's
    ///     number and no other member (pam_umask(8), `usergroups`).
    package init?(of path: String, countingGroup group: Bool = true) {
        guard let part = Self.find(path, group, links: 0) else { return nil }
        self = part
    }

    /// As many links as the kernel follows in one path (path_resolution(7)).
    private static let maximumLinks = 40

    private static func find(_ path: String, _ countsGroup: Bool, links: Int) -> ReplaceablePart? {
        var part = "/"
        for name in [""] + path.pathNames {
            let parent = part
            if !name.isEmpty { part = part == "/" ? "/\(name)" : "\(part)/\(name)" }
            var status = stat()
            guard lstat(part, &status) == 0 else { return nil }
            guard [0, geteuid()].contains(status.st_uid) else {
                return ReplaceablePart(path: part, owner: status.st_uid)
            }
            if status.st_mode & S_IFMT == S_IFLNK {
                guard links < maximumLinks, let target = target(of: part) else { return nil }
                let path = target.isAbsolutePath ? target : "\(parent)/\(target)"
                if let found = find(path, countsGroup, links: links + 1) { return found }
            } else if canBeWritten(status, countsGroup) {
                return ReplaceablePart(path: part, owner: nil)
            }
        }
        return nil
    }

    private static func canBeWritten(_ status: stat, _ countsGroup: Bool) -> Bool {
        // In a folder with the sticky bit, as /tmp, only the owner of an entry replaces it.
        if status.st_mode & S_IFMT == S_IFDIR, status.st_mode & S_ISVTX != 0 { return false }
        if status.st_mode & S_IWOTH != 0 { return true }
        let isPrivateGroup = status.st_gid == geteuid() && status.st_gid == getegid()
        return countsGroup && status.st_mode & S_IWGRP != 0 && !isPrivateGroup
    }

    private static func target(of link: String) -> String? {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(PATH_MAX) + 1) { buffer in
            guard let base = buffer.baseAddress else { return nil }
            let count = readlink(link, base, Int(PATH_MAX))
            guard count > 0 else { return nil }
            buffer[count] = 0
            return String(validatingCString: base)
        }
    }
}
