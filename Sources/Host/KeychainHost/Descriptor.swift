// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Reads from blocking and non-blocking descriptors.
package enum DescriptorInput {
    /// Reads bytes as soon as some are available.
    ///
    /// - Returns: The number of bytes; 0 at the end of the input, negative for an error, with the reason in `errno`.
    package static func read(_ descriptor: Int32, _ buffer: UnsafeMutableRawBufferPointer) -> Int {
        while true {
            let count = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
            if count >= 0 { return count }
            guard retries(descriptor, POLLIN) else { return count }
        }
    }
}

/// Writes to blocking and non-blocking descriptors.
package enum DescriptorOutput {
    /// Writes all bytes.
    ///
    /// - Returns: Whether all were written; if not, `errno` has the reason.
    package static func write(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> Bool {
        var rest = bytes
        while !rest.isEmpty {
            let count = Glibc.write(descriptor, rest.baseAddress, rest.count)
            if count >= 0 {
                rest = UnsafeRawBufferPointer(rebasing: rest[count...])
            } else if !retries(descriptor, POLLOUT) {
                return false
            }
        }
        return true
    }
}

/// Whether to retry a failed call; waits if another program has made the descriptor non-blocking.
private func retries(_ descriptor: Int32, _ event: Int32) -> Bool {
    if errno == EAGAIN {
        var state = pollfd(fd: descriptor, events: Int16(event), revents: 0)
        poll(&state, 1, -1)
        return true
    }
    return errno == EINTR
}
