// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import Testing

/// A lock where nothing can be written.
@Suite(.timeLimit(.minutes(30)), .enabled(if: canMount, "the kernel lets this user mount nothing"))
struct LockOnReadOnlyTests {
    @Test("on a read-only mount a lock says that it is none, and elsewhere it is one")
    func readOnlyMount() throws {
        let (folder, process) = try StormFolder.started()
        let passcode = Array("a passcode".utf8)
        #expect(try process.ask("passcode", passcode).isDone)
        #expect(try process.ask("take", passcode).isDone)
        #expect(try process.ask("keep ak").isDone)
        let confined = try StormProcess(folder.path, prefix: readOnly)
        let refused = try confined.ask("lock")
        #expect(refused.status == Int(Status.readOnly.rawValue), "\(refused)")
        #expect(refused.description.contains("only this process is locked"))
        #expect(try process.ask("open ak").isDone)
        #expect(try folder.start().ask("lock").isDone)
        #expect(try !process.ask("open ak").isDone)
    }
}

/// Runs a program with its first argument, a folder, mounted read-only for it alone.
private let readOnly = [
    "unshare", "--map-root-user", "--mount", "sh", "-c",
    #"mount --bind "$1" "$1" && mount -o remount,bind,ro "$1" && exec "$0" "$@""#,
]

/// Whether a process of this user may mount something for itself.
private let canMount = (try? StormProcess("/tmp", prefix: readOnly).ask("descriptors")) != nil
