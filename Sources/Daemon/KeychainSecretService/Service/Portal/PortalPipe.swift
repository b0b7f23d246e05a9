// SPDX-License-Identifier: Apache-2.0

import CKeychainSupport
import Glibc
import KeychainCore
import KeychainHost

/// The end of a pipe or of a socket on which a sandboxed program receives its secret; closed with the object.
final class PortalPipe: Sendable {
    private let descriptor: Int32

    /// How long a program may let it wait.
    private static let milliseconds: Int32 = 10_000

    /// How often it is looked at meanwhile whether the request has ended.
    private static let pauseMilliseconds: Int32 = 100

    /// A copy of a descriptor; `nil` if there is no room for one.
    init?(copying other: Int32) {
        descriptor = fcntl(other, F_DUPFD_CLOEXEC, 3)
        if descriptor < 0 { return nil }
    }

    deinit { close(descriptor) }

    /// Writes bytes, unless the program does not take them.
    ///
    /// - Returns: Whether all were written.
    func write(_ bytes: SecretBytes, until questions: PromptQuestions) -> Bool {
        // Anything else could block in the middle of a call, such as a file of a file system that does not respond.
        guard isPipe else { return false }
        let flags = fcntl(descriptor, F_GETFL)
        guard flags >= 0, fcntl(descriptor, F_SETFL, flags | O_NONBLOCK) == 0 else { return false }
        let deadline = Deadline(milliseconds: Self.milliseconds)
        return bytes.withUnsafeBytes { bytes in
            var written = 0
            while written < bytes.count {
                let rest = UnsafeRawBufferPointer(rebasing: bytes[written...])
                // The signals of this thread are blocked, SIGPIPE among them.
                let count = Glibc.write(descriptor, rest.baseAddress, rest.count)
                if count > 0 {
                    written += count
                    continue
                }
                guard count < 0, errno == EAGAIN || errno == EINTR, !deadline.isOver, !questions.haveEnded else {
                    return false
                }
                let pause = min(deadline.millisecondsLeft, Self.pauseMilliseconds)
                _ = keychain_wait(descriptor, Int32(KEYCHAIN_WRITABLE), pause)
            }
            return true
        }
    }

    private var isPipe: Bool {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return false }
        return [S_IFIFO, S_IFSOCK].contains(status.st_mode & S_IFMT)
    }
}
