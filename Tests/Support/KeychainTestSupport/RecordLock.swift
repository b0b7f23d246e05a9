// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc

/// A record lock (fcntl_locking(2)) that a process holds.
///
/// The kernel lists it with the process's descriptors (proc_pid_fdinfo(5)). The list of the whole machine,
/// `/proc/locks`, is read in pieces: while others lock and unlock, lines of it go missing.
package struct RecordLock: Hashable, CustomStringConvertible {
    /// Whether others may hold it, too.
    package var isShared: Bool

    /// The first and the last byte.
    package var range: ClosedRange<UInt64>

    /// Like a line of the kernel's list.
    package var description: String { "\(isShared ? "READ" : "WRITE") \(range.lowerBound)-\(range.upperBound)" }

    /// The locks that a process holds on a file; a file that is not there throws.
    package static func held(by process: pid_t, on path: String) throws -> Set<RecordLock> {
        var status = stat()
        guard stat(path, &status) == 0 else { throw Missing(path: path) }
        let folder = "/proc/\(process)/fdinfo"
        // A descriptor that another thread closes meanwhile has no list any more.
        let lists = try FileManager.default.contentsOfDirectory(atPath: folder).compactMap {
            try? String(contentsOfFile: "\(folder)/\($0)", encoding: .utf8)
        }
        let lines = lists.flatMap { $0.split(separator: "\n") }
        return Set(lines.compactMap { RecordLock(line: $0, inode: status.st_ino) })
    }

    /// Such a line is `lock: 1: POSIX  ADVISORY  READ 4711 fe:00:1234 1073741826 1073742335`: kind, process, the file's
    /// device and inode, the first and the last byte.
    private init?(line: Substring, inode: ino_t) {
        let fields = line.split(whereSeparator: \.isWhitespace)
        guard fields.count == 9, fields[0] == "lock:", fields[2] == "POSIX", fields[6].hasSuffix(":\(inode)"),
            let first = UInt64(fields[7]), let last = fields[8] == "EOF" ? .max : UInt64(fields[8]), first <= last
        else { return nil }
        isShared = fields[4] == "READ"
        range = first...last
    }

    private struct Missing: Error {
        let path: String
    }
}
