// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc

/// A folder that bindfs(1) shows at another place, on FUSE, until the object goes away.
///
/// bindfs(1) and `/dev/fuse` have to be there: `Scripts/setup tests` installs the first.
public final class FUSEMount {
    /// Where it is shown.
    public let path: String

    /// Why it is not.
    public struct Failure: Error { let reason: String }

    /// Makes a folder at a path and shows another one there.
    public init(of folder: String, at path: String, options: [String] = []) throws {
        self.path = path
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        let shell = Shell(environment: ["PATH": "/usr/bin:/bin:/usr/sbin:/sbin"])
        // It goes to the background, and would keep what tells Foundation that a process has ended.
        let command = #"for n in $(ls /proc/$$/fd); do ((n < 3)) || eval "exec $n>&-"; done; exec bindfs "$@""#
        let outcome = try shell.run("/bin/bash", ["-c", command, "bash"] + options + [folder, path])
        guard outcome.status == 0 else { throw Failure(reason: "bindfs is needed, and /dev/fuse: \(outcome.errors)") }
    }

    deinit { umount2(path, Int32(MNT_DETACH)) }
}
