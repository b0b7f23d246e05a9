// SPDX-License-Identifier: Apache-2.0

import CKeychainSupport
import Glibc
import KeychainServer
import KeychainWire

/// A connected socket, which is closed with the object: no thread sends on a number that was used again.
package final class LineSocket: Sendable {
    /// The socket.
    package let descriptor: Int32

    /// Owns a socket.
    package init(_ descriptor: Int32) { self.descriptor = descriptor }

    deinit { close(descriptor) }

    /// Sends a line, as far as the socket takes it now.
    package func send(_ line: String) { send(Array("\(line)\n".utf8)) }

    /// Sends bytes, as far as the socket takes them now.
    package func send(_ bytes: [UInt8]) {
        _ = bytes.withUnsafeBytes { keychain_send(descriptor, $0.baseAddress, $0.count) }
    }

    /// Ends the connection; a thread that waits for it is woken.
    package func end() { shutdown(descriptor, Int32(SHUT_RDWR)) }
}

/// The lines that one process sends on a socket.
package struct LineReader: ~Copyable {
    /// The socket.
    package let socket: LineSocket

    private let sender: pid_t
    private var unread: [UInt8] = []

    private static let maximumByteCount = 4_096

    /// Reads a socket for which the kernel names senders.
    package init(_ socket: LineSocket, sender: pid_t) {
        self.socket = socket
        self.sender = sender
    }

    /// The next line; `nil` after the end, for a line that is too long, and once another process has sent something.
    package mutating func next() -> String? {
        while true {
            if let end = unread.firstIndex(of: UInt8(ascii: "\n")) {
                defer { unread.removeFirst(end + 1) }
                return String(decoding: unread[..<end], as: UTF8.self)
            }
            guard unread.count <= Self.maximumByteCount, readMore() else { return nil }
        }
    }

    private mutating func readMore() -> Bool {
        var buffer = [UInt8](repeating: 0, count: Self.maximumByteCount)
        while true {
            var hasDescriptor = false
            let count = buffer.withUnsafeMutableBytes {
                keychain_receive_from(socket.descriptor, sender, $0.baseAddress, $0.count, &hasDescriptor)
            }
            if count > 0 {
                unread += buffer[..<count]
                return !hasDescriptor
            }
            guard count < 0, errno == EAGAIN else { return false }
            _ = SocketReadiness.wait(for: .readable, of: socket.descriptor, milliseconds: 60_000)
        }
    }
}
