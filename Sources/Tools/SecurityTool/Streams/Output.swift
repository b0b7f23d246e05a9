// SPDX-License-Identifier: Apache-2.0

import Glibc
import KeychainCore
import KeychainHost

/// An unbuffered output stream.
struct Output: Sendable {
    let descriptor: Int32

    /// Whether its text is messages, which may repeat arguments and names: a terminal obeys none of their characters.
    private let isForMessages: Bool

    init(descriptor: Int32) { (self.descriptor, isForMessages) = (descriptor, false) }

    init(messagesTo descriptor: Int32) { (self.descriptor, isForMessages) = (descriptor, true) }

    static let standard = Output(descriptor: STDOUT_FILENO)
    static let errors = Output(messagesTo: STDERR_FILENO)

    /// A stream that cannot be written to.
    struct Failure: Error {
        let code: Int32
    }

    /// Writes all bytes; blocks until they are written.
    ///
    /// - Throws: ``Failure``, for example for a pipe without a reader.
    func write(_ bytes: UnsafeRawBufferPointer) throws(Failure) {
        guard DescriptorOutput.write(bytes, to: descriptor) else { throw Failure(code: errno) }
    }

    func write(_ text: ByteText) throws(Failure) {
        let bytes = isForMessages ? PrintableText.lines(text.bytes) : text.bytes
        // Array's function does not propagate the error type.
        let result = bytes.withUnsafeBytes { buffer in Result { () throws(Failure) in try write(buffer) } }
        try result.get()
    }

    func write(_ secret: SecretBytes) throws(Failure) {
        try secret.withUnsafeBytes { (bytes) throws(Failure) in try write(bytes) }
    }
}
