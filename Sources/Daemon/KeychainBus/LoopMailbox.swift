// SPDX-License-Identifier: Apache-2.0

import Glibc
import KeychainCore
import KeychainHost
import KeychainWire
import Synchronization

/// What other threads tell that of a bus.
final class LoopMailbox: Sendable {
    private let wakeUp: WakeUp

    private let mail = Mutex(Mail())

    /// The news.
    struct Mail {
        /// Connections of the service.
        var sockets: [Int32] = []
        /// Whether the bus is to end.
        var isStopping = false
    }

    init() throws(KeychainError) {
        guard let wakeUp = WakeUp() else { throw KeychainError(call: "eventfd", errno: errno) }
        self.wakeUp = wakeUp
    }

    deinit { for socket in mail.withLock({ $0.sockets }) { close(socket) } }

    /// Readable while there is something.
    var wake: Int32 { wakeUp.descriptor }

    /// Adds a connection of the service; `false` once the bus is to end.
    func add(_ socket: Int32) -> Bool {
        let isAdded = mail.withLock { mail in
            if !mail.isStopping { mail.sockets.append(socket) }
            return !mail.isStopping
        }
        if isAdded { wakeUp.signal() }
        return isAdded
    }

    /// Has the bus end.
    func stop() {
        mail.withLock { $0.isStopping = true }
        wakeUp.signal()
    }

    /// Takes the news out.
    func take() -> Mail {
        wakeUp.clear()
        return mail.withLock { mail in
            defer { mail.sockets = [] }
            return mail
        }
    }
}
