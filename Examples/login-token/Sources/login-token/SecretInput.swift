// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Reads a secret from where no other program sees it: never from the arguments.
enum SecretInput {
    /// One line of standard input; from a terminal after a prompt, and without showing what is typed.
    static func read(prompt: String) throws -> String? {
        var settings = termios()
        guard tcgetattr(STDIN_FILENO, &settings) == 0 else { return readLine() }  // no terminal

        FileHandle.standardError.write(Data(prompt.utf8))
        var silent = settings
        silent.c_lflag &= ~tcflag_t(ECHO)
        guard tcsetattr(STDIN_FILENO, TCSAFLUSH, &silent) == 0 else { throw POSIXError(.ENOTTY) }
        defer {
            tcsetattr(STDIN_FILENO, TCSAFLUSH, &settings)
            FileHandle.standardError.write(Data("\n".utf8))
        }
        return readLine()
    }
}
