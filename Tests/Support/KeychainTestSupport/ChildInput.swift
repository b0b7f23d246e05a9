// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import KeychainHost

/// The standard input of a program that may end before it has read all of it, which must not end the tests by SIGPIPE.
package enum ChildInput {
    /// A file with a text, for a program whose whole input is known when it starts.
    package static func file(_ text: String) throws -> FileHandle {
        let folder = try TemporaryFolder(prefix: "input")
        // The file goes with the folder: the program has it open, and needs no name.
        defer { withExtendedLifetime(folder) {} }
        let path = folder.path(of: "input")
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw FileError.system(call: "open", path: path, errno: errno) }
        return FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    }

    /// Writes all of some bytes to a pipe.
    ///
    /// - Returns: 0, or an error number: EPIPE when the program has ended.
    package static func write(_ bytes: [UInt8], to descriptor: Int32) -> Int32 {
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGPIPE)
        var before = sigset_t()
        pthread_sigmask(SIG_BLOCK, &signals, &before)
        defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            let failure = count < 0 ? errno : 0
            switch failure {
            case 0: rest = rest.dropFirst(count)
            case EINTR: continue
            default:
                // The signal waits for this thread, and is taken back before the thread lets it through again.
                var information = siginfo_t()
                var noTime = timespec(tv_sec: 0, tv_nsec: 0)
                if failure == EPIPE { _ = sigtimedwait(&signals, &information, &noTime) }
                return failure
            }
        }
        return 0
    }
}
