// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Reads from descriptors, blocking ones and others.
enum DescriptorInput {
    /// Reads bytes as soon as there are some.
    ///
    /// - Returns: Their number; 0 at the end of the input, and below that for an error, which `errno` has.
    static func read(_ descriptor: Int32, _ buffer: UnsafeMutableRawBufferPointer) -> Int {
        while true {
            let count = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
            if count >= 0 { return count }
            guard retries(descriptor, POLLIN) else { return count }
        }
    }
}

/// Writes to descriptors, blocking ones and others.
enum DescriptorOutput {
    /// Writes all bytes.
    ///
    /// - Returns: Whether they were taken; if not, `errno` has the reason.
    static func write(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> Bool {
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

/// Whether a call that failed is to be made again; waits where another program has made the descriptor non-blocking.
private func retries(_ descriptor: Int32, _ event: Int32) -> Bool {
    if errno == EAGAIN {
        var state = pollfd(fd: descriptor, events: Int16(event), revents: 0)
        poll(&state, 1, -1)
        return true
    }
    return errno == EINTR
}
