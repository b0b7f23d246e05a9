// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Where remarks go, so that the output holds nothing but results.
enum StandardError {
    /// Writes a line.
    @Sendable
    static func write(_ line: String) { write(line, to: STDERR_FILENO) }

    /// Writes a line to another descriptor.
    static func write(_ line: String, to descriptor: Int32) {
        var bytes = Array("\(line)\n".utf8)[...]
        while !bytes.isEmpty {
            let count = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return }
            bytes = bytes.dropFirst(count)
        }
    }
}
