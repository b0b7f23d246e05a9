// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Synchronization

/// A folder of mode 0700 for one test, removed with all that is in it when the object goes away, or at the latest when
/// the process exits.
package final class TemporaryFolder: Sendable {
    /// The absolute path.
    package let path: String

    /// Makes an empty folder, in the folder for temporary files or another one.
    package init(prefix: String = "swift-keychain", in base: String? = nil) throws {
        let base = base.map { URL(fileURLWithPath: $0) } ?? FileManager.default.temporaryDirectory
        let url = base.appendingPathComponent("\(prefix)-\(UUID().uuidString)", isDirectory: true)
        try FileManager.default.createDirectory(
            at: url,
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700]
        )
        path = url.path
        Self.remaining.withLock { $0.insert(path, of: getpid()) }
    }

    deinit {
        // What a program that still ends there removes or makes meanwhile, is removed at exit.
        guard (try? FileManager.default.removeItem(atPath: path)) != nil else { return }
        Self.remaining.withLock { _ = $0.paths.remove(path) }
    }

    /// A folder in memory (tmpfs) from which programs can be run, where no write through a mapping changes the times of
    /// a file; `nil` if there is none.
    package static let memory: String? = {
        let mounts = (try? String(contentsOfFile: "/proc/self/mounts", encoding: .utf8)) ?? ""
        let isThere = mounts.split(separator: "\n").contains { line in
            let fields = line.split(separator: " ")
            return fields.count > 3 && fields[1] == "/dev/shm" && fields[2] == "tmpfs"
                && !fields[3].split(separator: ",").contains("noexec")
        }
        return isThere ? "/dev/shm" : nil
    }()

    /// The path of a file in the folder.
    package func path(of name: String) -> String { "\(path)/\(name)" }

    /// The folders that are there, such as those of objects that live as long as the process.
    private static let remaining = Mutex(Remaining())

    private struct Remaining {
        var paths: Set<String> = []
        /// The process that made them; a child that is forked removes none.
        var process: pid_t = 0

        mutating func insert(_ path: String, of process: pid_t) {
            if self.process != process {
                (self.process, paths) = (process, [])
                atexit { TemporaryFolder.removeRemaining() }
            }
            paths.insert(path)
        }
    }

    private static func removeRemaining() {
        let paths = remaining.withLock { $0.process == getpid() ? $0.paths : [] }
        for path in paths { try? FileManager.default.removeItem(atPath: path) }
    }
}
