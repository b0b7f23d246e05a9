// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The path of a program's executable, as procfs reports it (proc(5), `/proc/PID/exe`).
package enum ExecutablePath {
    private static let mark = " (deleted)"

    /// The path, without the mark of the kernel for an executable that was removed or replaced meanwhile.
    package static func onDisk(_ path: String) -> String {
        path.hasSuffix(mark) && access(path, F_OK) != 0 ? String(path.dropLast(mark.count)) : path
    }
}
