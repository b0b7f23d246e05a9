// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import Glibc

/// A folder that bindfs(1) shows at another place, on FUSE, until the object goes away.
///
/// bindfs(1) and `/dev/fuse` have to be there: `Scripts/setup tests` installs the first.
package final class FUSEMount {
    /// Where it is shown.
    package let path: String

    /// Why it is not.
    package struct Failure: Error { let reason: String }

    /// Makes a folder at a path and shows another one there.
    package init(of folder: String, at path: String, options: [String] = []) throws {
        self.path = path
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        let shell = Shell(environment: ["PATH": "/usr/bin:/bin:/usr/sbin:/sbin"])
        // It goes to the background, and would keep what tells Foundation that a process has ended.
        let command = #"for n in $(ls /proc/$$/fd); do ((n < 3)) || eval "exec $n>&-"; done; exec bindfs "$@""#
        let outcome = try shell.run("/bin/bash", ["-c", command, "bash"] + options + [folder, path])
        guard outcome.status == 0 else { throw Failure(reason: "bindfs is needed, and /dev/fuse: \(outcome.errors)") }
    }

    deinit {
        resume()
        umount2(path, Int32(MNT_DETACH))
    }

    /// Answers nothing more until ``resume()``.
    ///
    /// - Returns: Whether the program that answered has stopped.
    package func pause() -> Bool {
        let stopped = signal(SIGSTOP)
        // Whatever becomes of the test: much of the system waits for those that wait for an answer.
        DispatchQueue.global().asyncAfter(deadline: .now() + 60) { for process in stopped { kill(process, SIGCONT) } }
        return !stopped.isEmpty && eventually("bindfs has stopped") { isPaused }
    }

    /// Whether it answers nothing, since ``pause()`` and for a minute at most.
    package var isPaused: Bool {
        let servers = signal(0)
        return !servers.isEmpty && servers.allSatisfy(Self.isStopped)
    }

    /// Answers what came meanwhile, and what comes.
    package func resume() { _ = signal(SIGCONT) }

    /// All threads: one that goes on answers.
    private static func isStopped(_ process: pid_t) -> Bool {
        let threads = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(process)/task")) ?? []
        return !threads.isEmpty
            && threads.allSatisfy { thread in
                let status = FileManager.default.contents(atPath: "/proc/\(process)/task/\(thread)/status") ?? Data()
                return String(decoding: status, as: UTF8.self).contains("State:\tT")
            }
    }

    /// - Returns: The processes that got the signal.
    private func signal(_ number: Int32) -> [pid_t] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        let servers = names.compactMap { pid_t($0) }.filter { process in
            let words = FileManager.default.contents(atPath: "/proc/\(process)/cmdline")?.split(separator: 0) ?? []
            return words.first.map { Data($0) } == Data("bindfs".utf8) && words.last.map { Data($0) } == Data(path.utf8)
        }
        return servers.filter { kill($0, number) == 0 }
    }
}
