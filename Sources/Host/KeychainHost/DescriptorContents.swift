// SPDX-License-Identifier: Apache-2.0

import Glibc

/// What can be read from a descriptor up to its end, such as a pipe, a socket or standard input.
package struct DescriptorContents {
    /// The bytes that were read, whatever ended the reading.
    package let bytes: [UInt8]

    /// What ended the reading.
    package let end: End

    /// What ends a reading.
    package enum End: Equatable, Sendable {
        /// The end of the input.
        case complete
        /// There is more than the limit.
        case tooLong
        /// The deadline.
        case overdue
        /// An error of read(2) or poll(2).
        case failed(errno: Int32)
    }

    /// Reads a descriptor, blocking or not.
    ///
    /// - Parameters:
    ///   - descriptor: the descriptor, which stays open.
    ///   - limit: the maximum size in bytes.
    ///   - deadline: when to stop waiting; `nil` for never.
    package init(of descriptor: Int32, atMost limit: Int = .max, until deadline: Deadline? = nil) {
        var bytes: [UInt8] = []
        end = Self.read(descriptor, into: &bytes, atMost: limit, until: deadline)
        self.bytes = bytes
    }

    private static func read(
        _ descriptor: Int32,
        into bytes: inout [UInt8],
        atMost limit: Int,
        until deadline: Deadline?
    ) -> End {
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            var ready = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            let waited = poll(&ready, 1, deadline?.millisecondsLeft ?? -1)
            if waited == 0 { return .overdue }
            let count = waited < 0 ? -1 : Glibc.read(descriptor, &buffer, buffer.count)
            if count < 0 {
                if errno == EINTR || errno == EAGAIN { continue }
                return .failed(errno: errno)
            }
            if count == 0 { return .complete }
            let left = limit - bytes.count
            bytes += buffer[..<min(count, left)]
            if count > left { return .tooLong }
        }
    }
}

extension DescriptorContents {
    /// The words of a file of a process in `/proc` that end with NUL, such as `cmdline` and `environ` (proc(5)); none
    /// if it cannot be read.
    package static func words(in file: String, of process: Int32, atMost limit: Int) -> [ArraySlice<UInt8>] {
        let descriptor = open("/proc/\(process)/\(file)", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return [] }
        defer { close(descriptor) }
        return DescriptorContents(of: descriptor, atMost: limit).bytes.split(separator: 0)
    }
}
