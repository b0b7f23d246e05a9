// SPDX-License-Identifier: Apache-2.0

import CKeychainSupport
import Glibc
import KeychainAuthenticators
import KeychainCore

/// A file, or another descriptor, that a command reads to its end; what is read may be secret.
enum InputFile {
    /// A file that cannot be read.
    struct Failure: Error {
        let code: Int32

        /// What the system says.
        var text: String { String(cString: strerror(code)) }
    }

    /// The bytes of a file.
    static func bytes(_ path: Word) throws(Failure) -> SecretBytes {
        let descriptor = path.withCString { open($0, O_RDONLY | O_CLOEXEC) }
        guard descriptor >= 0 else { throw Failure(code: errno) }
        defer { close(descriptor) }
        return try bytes(descriptor)
    }

    /// What a descriptor gives until its end.
    static func bytes(_ descriptor: Int32) throws(Failure) -> SecretBytes {
        var contents = SecretBuffer(capacity: 1 << 14)
        var failure: Failure?
        withUnsafeTemporaryAllocation(byteCount: 1 << 14, alignment: 1) { chunk in
            defer { keychain_wipe(chunk.baseAddress, chunk.count) }
            while true {
                let count = read(descriptor, chunk.baseAddress, chunk.count)
                if count > 0 {
                    contents.append(UnsafeRawBufferPointer(rebasing: chunk[..<count]))
                } else if count == 0 {
                    return
                } else if errno == EAGAIN {
                    var state = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
                    poll(&state, 1, -1)
                } else if errno != EINTR {
                    failure = Failure(code: errno)
                    return
                }
            }
        }
        if let failure { throw failure }
        return contents.bytes
    }
}
