// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The signal handling of this process.
enum ProcessSignals {
    /// Makes writing to a pipe without a reader an error of write(2) instead of silently ending the program.
    static func prepare() { signal(SIGPIPE, SIG_IGN) }
}

/// The three descriptors that every program expects to be open.
enum StandardDescriptors {
    /// Makes them safe to use.
    ///
    /// Otherwise a closed one would be assigned to the next file that is opened, perhaps a key, and be written to. It
    /// is opened such that using it fails.
    static func prepare() {
        for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) < 0 {
            let mode = descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY
            // The lowest free number is the closed one, because those below it are open.
            _ = open("/dev/null", mode)
        }
    }
}
