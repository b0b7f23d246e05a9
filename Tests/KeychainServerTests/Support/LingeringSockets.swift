// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// TCP sockets with data that nobody takes: whoever closes one last sleeps for two minutes (socket(7), `SO_LINGER`), or
/// until this object goes away.
final class LingeringSockets {
    private let listening = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    private var address = sockaddr_in()

    init() throws {
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        var room: Int32 = 4096
        let listening = listening
        setsockopt(listening, SOL_SOCKET, SO_RCVBUF, &room, socklen_t(MemoryLayout<Int32>.size))
        let isListening = withAddress { address in
            bind(listening, address, size) == 0 && listen(listening, 512) == 0
                && getsockname(listening, address, &size) == 0
        }
        try #require(isListening)
    }

    deinit { close(listening) }

    /// Makes another one.
    ///
    /// - Parameter pass: passes its descriptor on; returns whether that was possible.
    /// - Throws: where the system has no more of them.
    func with(_ pass: (Int32) -> Bool) throws {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        // More than the other side takes, and not as much as the system would give.
        var size = Int32(1 << 16)
        setsockopt(descriptor, SOL_SOCKET, SO_SNDBUF, &size, socklen_t(MemoryLayout<Int32>.size))
        let length = socklen_t(MemoryLayout<sockaddr_in>.size)
        try #require(withAddress { connect(descriptor, $0, length) } == 0)
        let bytes = [UInt8](repeating: 0, count: 4096)
        while send(descriptor, bytes, bytes.count, Int32(MSG_DONTWAIT)) > 0 {}
        var linger = linger(l_onoff: 1, l_linger: 120)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<linger>.size))
        guard !pass(descriptor) else {
            // Where the other side has closed it first, this sleeps.
            return Thread.detachNewThread { close(descriptor) }
        }
        linger.l_onoff = 0
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<linger>.size))
        close(descriptor)
    }

    private func withAddress<Result>(_ body: (UnsafeMutablePointer<sockaddr>) -> Result) -> Result {
        withUnsafeMutablePointer(to: &address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1, body)
        }
    }
}
