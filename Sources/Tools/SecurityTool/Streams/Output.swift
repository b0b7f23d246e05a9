// SPDX-License-Identifier: Apache-2.0

import Glibc
import KeychainCore

/// A stream that is written to at once, without a buffer.
struct Output: Sendable {
    let descriptor: Int32

    static let standard = Output(descriptor: STDOUT_FILENO)
    static let errors = Output(descriptor: STDERR_FILENO)

    /// A stream that does not take what is written.
    struct Failure: Error {
        let code: Int32
    }

    /// Writes all bytes; blocks until the other side has taken them.
    ///
    /// - Throws: ``Failure`` for example for a pipe without a reader.
    func write(_ bytes: UnsafeRawBufferPointer) throws(Failure) {
        var rest = bytes
        while let start = rest.baseAddress, !rest.isEmpty {
            let count = Glibc.write(descriptor, start, rest.count)
            if count >= 0 {
                rest = UnsafeRawBufferPointer(rebasing: rest[count...])
            } else if errno == EAGAIN {
                waitUntilWritable()
            } else if errno != EINTR {
                throw Failure(code: errno)
            }
        }
    }

    func write(_ text: ByteText) throws(Failure) {
        let bytes = text.bytes
        // Array's function does not pass the type of an error on.
        let result = bytes.withUnsafeBytes { buffer in Result { () throws(Failure) in try write(buffer) } }
        try result.get()
    }

    func write(_ secret: SecretBytes) throws(Failure) {
        try secret.withUnsafeBytes { (bytes) throws(Failure) in try write(bytes) }
    }

    /// The descriptor may have been made non-blocking by another program that has it open.
    private func waitUntilWritable() {
        var state = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        poll(&state, 1, -1)
    }
}
