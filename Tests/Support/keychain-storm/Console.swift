// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Standard input and output without buffers: a killed process has said all that it did, and a forked one shares none.
enum Console {
    /// The next line of standard input; `nil` at its end.
    static func readLine() -> String? {
        var line: [UInt8] = []
        var byte: UInt8 = 0
        while read(STDIN_FILENO, &byte, 1) == 1 {
            if byte == UInt8(ascii: "\n") { return String(decoding: line, as: UTF8.self) }
            line.append(byte)
        }
        return nil
    }

    /// Writes a line by one system call, so that lines of several threads and processes do not mix.
    static func write(_ line: String) {
        let bytes = Array("\(line)\n".utf8)
        if Glibc.write(STDOUT_FILENO, bytes, bytes.count) != bytes.count { _exit(3) }
    }
}
