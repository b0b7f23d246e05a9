// SPDX-License-Identifier: Apache-2.0

import CKeychainSupport
import Glibc
import KeychainCore
import KeychainWire
import Synchronization

/// What other threads tell that of a bus.
final class LoopMailbox: Sendable {
    /// Readable while there is something.
    let wake: Int32

    private let mail = Mutex(Mail())

    /// The news.
    struct Mail {
        /// Connections of the service.
        var sockets: [Int32] = []
        /// Whether the bus is to end.
        var isStopping = false
    }

    init() throws(KeychainError) {
        wake = keychain_event()
        guard wake >= 0 else { throw KeychainError(call: "eventfd", errno: errno) }
    }

    deinit {
        close(wake)
        for socket in mail.withLock({ $0.sockets }) { close(socket) }
    }

    /// Adds a connection of the service; `false` once the bus is to end.
    func add(_ socket: Int32) -> Bool {
        let isAdded = mail.withLock { mail in
            if !mail.isStopping { mail.sockets.append(socket) }
            return !mail.isStopping
        }
        if isAdded { ring() }
        return isAdded
    }

    /// Has the bus end.
    func stop() {
        mail.withLock { $0.isStopping = true }
        ring()
    }

    /// Takes the news out.
    func take() -> Mail {
        var count: UInt64 = 0
        _ = withUnsafeMutableBytes(of: &count) { read(wake, $0.baseAddress, $0.count) }
        return mail.withLock { mail in
            defer { mail.sockets = [] }
            return mail
        }
    }

    private func ring() {
        var one: UInt64 = 1
        _ = withUnsafeBytes(of: &one) { write(wake, $0.baseAddress, $0.count) }
    }
}
