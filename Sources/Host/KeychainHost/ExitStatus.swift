// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The exit status of a program, as a shell shows it.
package enum ExitStatus {
    /// The exit status of what waitpid(2) reports; 128 plus the number of the signal that ended the program.
    package static func code(of status: Int32) -> Int32 {
        let signal = status & 0x7F
        return signal == 0 ? (status >> 8) & 0xFF : 128 + signal
    }

    /// Waits for the exit of a child and reaps it.
    ///
    /// - Returns: Its exit status; `nil` if it is no child, or this program ignores or reaps its children elsewhere.
    @discardableResult
    package static func wait(for child: pid_t) -> Int32? {
        var status: Int32 = 0
        while waitpid(child, &status, 0) < 0 {
            guard errno == EINTR else { return nil }
        }
        return code(of: status)
    }
}
